import type { Alteration, Attachment, Change, LogRow, Message, Reaction } from '../../ports/log.ts'
import type { Ports } from '../../ports/ports.ts'
import { isShown, isStripped, keptOf, type ReactionMark } from '../../protocol/alterations.ts'
import { badInput, ChatError } from '../../protocol/errors.ts'
import type { ClientMessageId, Seq, UserId } from '../../protocol/ids.ts'
import { editsMax, reactingPeopleMax, reactionChangesMax, seqMax } from '../../protocol/limits.ts'
import type { Member } from '../conversations/access.ts'
import { governs, roleOf } from '../conversations/group.ts'
import type { Append } from '../log/append.ts'
import { createLatest } from '../log/latest-messages.ts'
import { isChange, isMessage } from '../log/log.ts'
import type { Payloads } from '../log/payloads.ts'
import type { Pushes } from '../push/push.ts'
import type { AskFirst } from './ask-first.ts'
import type { Deliver } from './deliver.ts'

// Changes a message: puts the change into the log, lets the message show it, delivers it, answers.
//
// The log decides the order: of two edits the one with the higher seq stays, even if it is not applied last; a deletion is for good. A crash
// between the log and the message leaves a stored change that was not answered; the retry applies it, and so does the first stream that meets
// it. Applying is idempotent.

type ChangeRequest = { seq: Seq; clientMessageId: ClientMessageId; alteration: Alteration }

type Needs = Pick<Ports, 'messages' | 'claims'> & {
  append: Append
  askFirst: AskFirst | undefined
  payloadOf: Payloads
  pushes: Pushes
  deliver: Deliver
  discard: (attachments?: readonly Attachment[]) => Promise<void>
  onApplyError: (error: unknown) => void
}

export function createChange(needs: Needs) {
  const { messages, claims, append, askFirst, payloadOf, pushes, deliver, discard, onApplyError } = needs
  const { latest, readNow } = createLatest()

  const change = async (member: Member, request: ChangeRequest): Promise<Message> =>
    (await changeOnce(member, request)).message

  /** `duplicate`: an earlier attempt had put the change into the log. */
  async function changeOnce(member: Member, request: ChangeRequest): Promise<{ message: Message; duplicate: boolean }> {
    const { seq, clientMessageId, alteration } = request
    const target = await messages.get({ conversationId: member.conversation.id, seq })
    if (!target || !isMessage(target) || seq <= member.joinedSeq) throw noMessage()
    const refused = refusal(member, target, alteration)
    if (refused && !(await isRetry(member, request))) throw refused
    const payload = payloadOf(textOf(seq, alteration), isOf(seq, alteration))
    const told =
      askFirst && alteration.type === 'edit'
        ? await askFirst(member, payload, { type: 'edit', clientMessageId, seq, body: alteration.body })
        : undefined
    const shown = told
      ? { alteration: { type: 'edit', body: told.body } as const, replaced: true as const }
      : { alteration }
    const { row, duplicate } = await append<Change>(member, {
      clientMessageId,
      payload,
      row: (entry) => ({ kind: 'change', ...entry, targetSeq: seq, ...shown }),
      always: alteration.type === 'delete',
    })
    const altered = (await messages.alter(row)) ?? target
    const message = latest(altered)
    await deliver(member, { ...row, target: message }, { duplicate })
    if (alteration.type === 'delete') {
      const { id, members } = member.conversation
      pushes.deleted(members.map((userId) => ({ userId, conversationId: id })))
      await discard(target.attachments)
    }
    // The change stays in the log, where every reader skips it.
    if (!isShown(row, altered)) throw badInput('seq', 'This message has no room left for this change.')
    return { message, duplicate }
  }

  /** A change that was accepted once stays accepted, even if the message could not be changed like that any more. */
  async function isRetry(member: Member, { seq, clientMessageId, alteration }: ChangeRequest): Promise<boolean> {
    const claim = await claims.get(member.userId, clientMessageId)
    if (claim?.conversationId !== member.conversation.id) return false
    return payloadOf(textOf(seq, alteration), isOf(seq, alteration)).isOf(claim)
  }

  /** Returns the message that a change is about, with the change applied. */
  async function messageOf(change: Change): Promise<Message | undefined> {
    if (change.target) return latest(change.target)
    const message = await messages.get({ conversationId: change.conversationId, seq: change.targetSeq })
    if (!message || !isMessage(message)) return undefined
    if (isStripped(change.alteration)) return readNow(message)
    const isDone = isShown(change, message) && !hasTextInVain(change, message)
    const altered = isDone ? message : await messages.alter(change).catch(unlessUnavailable(message))
    return altered && latest(altered)
  }

  /** A change that can never be applied is not shown and ends no stream: every reader goes past it. */
  const unlessUnavailable = (message: Message) => (error: unknown) => {
    if (error instanceof ChatError && error.code === 'UNAVAILABLE') throw error
    onApplyError(error)
    return message
  }

  /**
   * Tells readers and devices, by an entry in the log, that a message is not as they know it since a user was erased. `isOwn`: it was theirs and
   * counts as deleted. Else it has lost their reactions: then the entry is an edit that never had a text, and whoever meets it reads the message.
   */
  async function tellErased(
    member: Member,
    { seq, clientMessageId, isOwn }: { seq: Seq; clientMessageId: ClientMessageId; isOwn: boolean },
  ): Promise<void> {
    const { id, members } = member.conversation
    const alteration: Alteration = isOwn ? { type: 'delete' } : { type: 'edit', body: '' }
    const { row, duplicate } = await append<Change>(member, {
      clientMessageId,
      payload: payloadOf(textOf(seq, alteration), isOf(seq, alteration)),
      row: (entry) => ({ kind: 'change', ...entry, targetSeq: seq, alteration }),
      always: true,
    })
    const target = isOwn ? await messages.get({ conversationId: id, seq }) : undefined
    await deliver(member, { ...row, ...(target && isMessage(target) && { target: latest(target) }) }, { duplicate })
    if (isOwn) pushes.deleted(members.map((userId) => ({ userId, conversationId: id })))
  }

  return { change, changeOnce, messageOf, latest, tellErased }
}

/** Returns why the change is refused, or undefined. */
function refusal(
  { userId, conversation, isService }: Member,
  target: Message,
  alteration: Alteration,
): ChatError | undefined {
  const isAuthor = target.senderId === userId
  if (alteration.type === 'edit' && !isAuthor) return new ChatError('FORBIDDEN', 'Only its author may edit a message.')
  if (alteration.type === 'delete' && !isAuthor && !isService && !governs(roleOf(conversation, userId))) {
    return new ChatError('FORBIDDEN', 'Only its author may delete a message, or an owner or admin of the group.')
  }
  if (alteration.type !== 'delete' && target.deletedAtMs !== undefined)
    return badInput('seq', 'This message was deleted.')
  if (alteration.type === 'edit' && (target.edits ?? 0) >= editsMax) {
    return badInput('seq', `A message can be edited at most ${editsMax} times.`)
  }
  return alteration.type === 'reaction' ? noReaction(userId, target.reactions ?? [], alteration) : undefined
}

/** A reaction can always be taken back. Each person's reactions have room of their own. */
function noReaction(
  userId: UserId,
  reactions: readonly Reaction[],
  { emoji, on }: { emoji: string; on: boolean },
): ChatError | undefined {
  const own = reactions.filter((each) => each.userId === userId)
  if (!on && own.some((each) => each.emoji === emoji && each.on)) return undefined
  if ((own[0]?.changes ?? 0) >= reactionChangesMax) {
    return badInput('emoji', `Reactions to a message can be changed at most ${reactionChangesMax} times.`)
  }
  if (own.length === 0 && new Set(reactions.map((each) => each.userId)).size >= reactingPeopleMax) {
    return badInput('emoji', `At most ${reactingPeopleMax} people can react to a message.`)
  }
  const kept = new Set(keptOf<ReactionMark>([...own, { emoji, seq: seqMax, on }]).map((each) => each.emoji))
  if (own.some((each) => each.on && !kept.has(each.emoji))) {
    return badInput('emoji', 'There is no room for more reactions of yours to this message.')
  }
  return undefined
}

/**
 * Returns whether an edit still has its text although the message shows another one, or none: its author's node died before it removed the
 * text.
 */
const hasTextInVain = ({ seq, alteration }: Change, { edited, deletedAtMs }: Message): boolean =>
  alteration.type === 'edit' && alteration.body !== '' && (deletedAtMs !== undefined || edited?.seq !== seq)

const noMessage = () => new ChatError('NOT_FOUND', 'There is no such message in this conversation.')

/** No body holds a NUL, so a change is never mistaken for a message. */
const textOf = (seq: Seq, alteration: Alteration): string => `\0${seq} ${JSON.stringify(alteration)}`

/** Returns whether a row is this change. The text of an edit may have been replaced before it was stored, and may be gone since. */
const isOf =
  (seq: Seq, alteration: Alteration) =>
  (row: LogRow): boolean => {
    if (!isChange(row) || row.targetSeq !== seq) return false
    return row.replaced || isStripped(row.alteration)
      ? alteration.type === 'edit'
      : textOf(seq, row.alteration) === textOf(seq, alteration)
  }
