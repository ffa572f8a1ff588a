import type { LogRow, Message } from '../../ports/log.ts'
import type { Observer } from '../../ports/observer.ts'
import type { Ports } from '../../ports/ports.ts'
import { badInput } from '../../protocol/errors.ts'
import type { AttachmentId, ClientMessageId, Seq, UserId } from '../../protocol/ids.ts'
import { type Access, type Member, othersOf } from '../conversations/access.ts'
import type { createGroupQuotas } from '../conversations/group-quotas.ts'
import type { Append } from '../log/append.ts'
import { isMessage } from '../log/log.ts'
import type { Payloads } from '../log/payloads.ts'
import type { Attachments } from '../media/attachments.ts'
import { refused } from '../people/blocking.ts'
import type { ErasedAmong } from '../people/people.ts'
import type { Acknowledge } from './acknowledge.ts'
import type { AskFirst } from './ask-first.ts'
import type { Deliver } from './deliver.ts'

// Sends a message in three steps: puts it into the log, delivers it, answers. A crash after the first step leaves a message that the retry
// finds and delivers again; after the second, the retry gets the message as a duplicate.
//
// The first message of a direct chat creates the chat, between the first step and the second. A crash before that leaves a message in the log
// of a chat that does not exist yet. The send was not answered, and the retry, or the next first message of either user, creates the chat.

/** `attachmentIds`, where given, has at least one id. */
export type Draft = {
  clientMessageId: ClientMessageId
  body: string
  replyToSeq?: Seq
  /** This is the text of a JSON object. */
  metadata?: string
  attachmentIds?: readonly AttachmentId[]
  /** A service says it in its own name. */
  system?: true
  /** When it was sent elsewhere, of history that a backend brings along. */
  sentAtMs?: number
}
export type Sent = { message: Message; duplicate: boolean }
/** It is called with what was sent, just before the sender gets the answer. */
export type OnSent = (sent: Sent) => void

type Needs = Pick<Ports, 'messages' | 'clock'> & {
  access: Access
  append: Append
  deliver: Deliver
  acknowledge: Acknowledge
  findAttachments: Attachments['find']
  askFirst: AskFirst | undefined
  payloadOf: Payloads
  quotas: ReturnType<typeof createGroupQuotas>
  stopTyping: (member: Member) => void
  erasedAmong: ErasedAmong
  observer: Observer
}

/** `backend`: a backend sends it, in its own name or for a user. */
type SendContext = { startedAtMs: number; onSent: OnSent | undefined; backend?: Backend }
type Backend = { silent: boolean }

export function createSend(needs: Needs) {
  const { messages, clock, access, append, deliver, acknowledge, findAttachments, askFirst, payloadOf } = needs
  const { quotas, stopTyping, erasedAmong, observer } = needs

  /** What a backend sends tells nothing of what its author has seen, so it marks nothing as read; and it takes nothing of their quotas. */
  async function send(member: Member, draft: Draft, { startedAtMs, onSent, backend }: SendContext): Promise<Sent> {
    if (member.isToBegin && (await erasedAmong(othersOf(member))).size > 0) throw refused()
    if (member.isToBegin && !backend) await quotas.takeChat(member.userId)
    if (draft.replyToSeq !== undefined) await assertAnswerable(member, draft.replyToSeq)
    const [{ row: message, duplicate }, replied] = await Promise.all([
      store(member, draft, backend),
      // It is asked for at once: what is delivered while somebody else decides about the message was not there when it was sent.
      backend ? 0 : acknowledge.deliveredSoFar(member),
    ])
    await access.begin(member)
    if (!backend) stopTyping(member)
    await Promise.all([
      deliver(member, message, { duplicate, silent: backend?.silent ?? false }),
      // Only the first attempt marks as read: by the time of a retry, more may have been delivered than the sender had seen.
      duplicate ? undefined : acknowledge.readByReply(member, replied),
    ])
    const sent = { message, duplicate }
    observer.sent(clock.monotonic() - startedAtMs)
    onSent?.(sent)
    return sent
  }

  /** A backend is not asked about what a backend says. */
  async function store(member: Member, draft: Draft, backend?: Backend): Promise<{ row: Message; duplicate: boolean }> {
    const { clientMessageId, attachmentIds: ids, ...content } = draft
    const { userId, conversation } = member
    const payload = payloadOf(textOf(draft), isOf(draft))
    const found =
      ids && (await findAttachments({ userId, conversationId: conversation.id, clientMessageId, payload, ids }))
    const attachments = found && { attachments: found.files }
    const told =
      askFirst &&
      !backend &&
      (await askFirst(member, payload, { type: 'send', clientMessageId, ...content, ...attachments }))
    const text = told ? replacementOf(content, told) : content
    if (found) await found.take()
    return append<Message>(member, {
      clientMessageId,
      payload,
      // Nobody can block the app itself.
      always: draft.system === true,
      row: (entry) => ({ kind: 'message', ...entry, ...text, ...attachments }),
    })
  }

  /** Sends to a user. The first message that is stored creates their chat; one that is refused or lost before creates none. */
  async function sendTo(userId: UserId, otherId: UserId, draft: Draft, onSent?: OnSent): Promise<Sent> {
    const startedAtMs = clock.monotonic()
    return send(await access.direct(userId, otherId), draft, { startedAtMs, onSent })
  }

  /** Sends for a backend: into a conversation, as `Access.forService` or as one of its members, or into a direct chat that may have to begin. */
  const sendByBackend = (member: Member, draft: Draft, backend: Backend): Promise<Sent> =>
    send(member, draft, { startedAtMs: clock.monotonic(), onSent: undefined, backend })

  async function assertAnswerable({ conversation, joinedSeq }: Member, seq: Seq): Promise<void> {
    const row = await messages.get({ conversationId: conversation.id, seq })
    if (!row || !isMessage(row) || seq <= joinedSeq)
      throw badInput('replyToSeq', 'replyToSeq must be the seq of a message in this conversation.')
  }

  return {
    send: (member: Member, draft: Draft, onSent?: OnSent) =>
      send(member, draft, { startedAtMs: clock.monotonic(), onSent }),
    sendTo,
    sendByBackend,
  }
}

/**
 * Neither a body nor the text of metadata can hold a NUL, so different messages never have the same text here. A part that is not given
 * adds nothing, so that claims of earlier releases still match.
 */
const textOf = ({ body, replyToSeq, attachmentIds, metadata, system, sentAtMs }: Draft): string =>
  [
    body,
    ...(replyToSeq === undefined ? [] : [`reply ${replyToSeq}`]),
    ...(attachmentIds === undefined ? [] : [`attachments ${attachmentIds.join(' ')}`]),
    ...(metadata === undefined ? [] : [`metadata ${metadata}`]),
    ...(system === undefined ? [] : ['system']),
    ...(sentAtMs === undefined ? [] : [`sent ${sentAtMs}`]),
  ].join('\0')

const replacementOf = (
  { replyToSeq }: Pick<Draft, 'replyToSeq'>,
  { body, metadata }: { body: string; metadata?: string },
): Pick<Message, 'body' | 'metadata' | 'replyToSeq' | 'replaced'> => ({
  body,
  ...(metadata !== undefined && { metadata }),
  ...(replyToSeq !== undefined && { replyToSeq }),
  replaced: true,
})

/**
 * Returns whether a row is this message. Of a row that was replaced before it was stored, or edited or deleted since, the original text is not
 * known, so it is not compared.
 */
const isOf =
  ({ body, replyToSeq, attachmentIds = [], metadata, system, sentAtMs = -1 }: Draft) =>
  (row: LogRow): boolean => {
    if (!isMessage(row) || row.replyToSeq !== replyToSeq || row.system !== system) return false
    if (sentAtMs !== -1 && row.sentAtMs !== sentAtMs) return false
    if (row.deletedAtMs !== undefined) return true
    const ids = row.attachments?.map(({ id }) => id) ?? []
    if (ids.join() !== attachmentIds.join()) return false
    return row.replaced || (row.metadata === metadata && (row.edited !== undefined || row.body === body))
  }
