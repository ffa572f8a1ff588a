import { createHash } from 'node:crypto'
import type { Alteration, Attachment, Change, Message } from '../ports/log.ts'
import type { Ports } from '../ports/ports.ts'
import { badInput, ChatError } from '../protocol/errors.ts'
import type { ClientMessageId, Seq } from '../protocol/ids.ts'
import { reactionsMax } from '../protocol/limits.ts'
import type { Member } from './access.ts'
import type { Append } from './append.ts'
import type { Deliver } from './deliver.ts'
import { governs, roleOf } from './group.ts'
import { createLatest } from './latest-messages.ts'
import { isMessage } from './log.ts'

// Changing a message: put the change into the log, let the message show it, deliver, answer.
//
// The log decides the order: of two edits the one with the higher seq stays, whichever is applied last; a deletion is for good.
// A crash between the log and the message leaves a change that nobody was told is stored; the retry applies it, and so does
// the first stream that meets it. Applying is idempotent.

export type ChangeRequest = { seq: Seq; clientMessageId: ClientMessageId; alteration: Alteration }

type Needs = Pick<Ports, 'messages' | 'claims'> & {
  append: Append
  deliver: Deliver
  discard: (attachments?: readonly Attachment[]) => Promise<void>
}

export function createChange({ messages, claims, append, deliver, discard }: Needs) {
  const latest = createLatest()

  async function change(member: Member, request: ChangeRequest): Promise<Message> {
    const { seq, clientMessageId, alteration } = request
    const target = await messages.get({ conversationId: member.conversation.id, seq })
    if (!target || !isMessage(target) || seq <= member.joinedSeq) throw noMessage()
    const refused = refusal(member, target, alteration)
    if (refused && !(await isRetry(member, request))) throw refused
    const { row, duplicate } = await append<Change>(member, {
      clientMessageId,
      payloadHash: hashOf(seq, alteration),
      row: (entry) => ({ kind: 'change', ...entry, targetSeq: seq, alteration }),
      always: alteration.type === 'delete',
    })
    const message = latest((await messages.alter(row)) ?? target)
    await deliver(member, { ...row, target: message }, { duplicate })
    if (alteration.type === 'delete') await discard(target.attachments)
    return message
  }

  /** What was accepted once stays accepted, whatever has become of the message since. */
  async function isRetry(member: Member, { seq, clientMessageId, alteration }: ChangeRequest): Promise<boolean> {
    const claim = await claims.get(member.userId, clientMessageId)
    return claim?.conversationId === member.conversation.id && claim.payloadHash === hashOf(seq, alteration)
  }

  /** The message a change is about, showing it. */
  async function messageOf(change: Change): Promise<Message | undefined> {
    if (change.target) return latest(change.target)
    const message = await messages.get({ conversationId: change.conversationId, seq: change.targetSeq })
    if (!message || !isMessage(message)) return undefined
    const altered = isShown(change, message) ? message : await messages.alter(change)
    return altered && latest(altered)
  }

  return { change, messageOf, latest }
}

/** Why not, or undefined. */
function refusal({ userId, conversation }: Member, target: Message, alteration: Alteration): ChatError | undefined {
  const isAuthor = target.senderId === userId
  if (alteration.type === 'edit' && !isAuthor) return new ChatError('FORBIDDEN', 'Only its author may edit a message.')
  if (alteration.type === 'delete' && !isAuthor && !governs(roleOf(conversation, userId))) {
    return new ChatError('FORBIDDEN', 'Only its author may delete a message, or an owner or admin of the group.')
  }
  if (alteration.type !== 'delete' && target.deletedAtMs !== undefined)
    return badInput('seq', 'This message was deleted.')
  if (alteration.type === 'reaction' && (target.reactions?.length ?? 0) >= reactionsMax) {
    return badInput('emoji', `A message takes at most ${reactionsMax} reactions.`)
  }
  return undefined
}

function isShown({ seq, senderId, alteration }: Change, message: Message): boolean {
  if (message.deletedAtMs !== undefined) return true
  if (alteration.type === 'edit') return (message.edited?.seq ?? 0) >= seq
  if (alteration.type === 'delete') return false
  const { emoji } = alteration
  return message.reactions?.some((each) => each.emoji === emoji && each.userId === senderId && each.seq >= seq) === true
}

const noMessage = () => new ChatError('NOT_FOUND', 'There is no such message in this conversation.')

/** No body holds a NUL: the hash of a change is never that of a message. */
const hashOf = (seq: Seq, alteration: Alteration): string =>
  createHash('sha256')
    .update(`\0${seq} ${JSON.stringify(alteration)}`)
    .digest('base64url')
