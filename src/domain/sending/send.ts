import type { Attachment, LogRow, Message } from '../../ports/log.ts'
import type { Observer } from '../../ports/observer.ts'
import type { Ports } from '../../ports/ports.ts'
import { badInput } from '../../protocol/errors.ts'
import type { AttachmentId, ClientMessageId, ConversationId, Seq, UserId } from '../../protocol/ids.ts'
import type { Access, Member } from '../conversations/access.ts'
import type { createGroupQuotas } from '../conversations/group-quotas.ts'
import type { Append } from '../log/append.ts'
import { isMessage } from '../log/log.ts'
import type { Payloads } from '../log/payloads.ts'
import type { AttachRequest } from '../media/attachments.ts'
import type { Acknowledge } from './acknowledge.ts'
import type { Deliver } from './deliver.ts'

// Sending, in three steps: put the message into the log, deliver it, answer. A crash after the first leaves a message that
// the retry finds and delivers again; after the second, the retry gets the message, duplicate.
//
// The first message of a direct chat makes it, between the first step and the second. A crash before that leaves a message in the log
// of a chat that does not exist yet: nobody was answered, and the retry, or the next first message of either, makes the chat.

/** `attachmentIds`: at least one, where there are any. */
export type Draft = {
  clientMessageId: ClientMessageId
  body: string
  replyToSeq?: Seq
  attachmentIds?: readonly AttachmentId[]
}
export type Sent = { message: Message; duplicate: boolean }
/** Called with what was sent, just before the sender gets the answer. */
export type OnSent = (sent: Sent) => void

type Needs = Pick<Ports, 'messages' | 'clock'> & {
  access: Access
  append: Append
  deliver: Deliver
  acknowledge: Acknowledge
  attach: (request: AttachRequest) => Promise<readonly Attachment[]>
  payloadOf: Payloads
  quotas: ReturnType<typeof createGroupQuotas>
  stopTyping: (member: Member) => void
  observer: Observer
}

type SendContext = { startedAtMs: number; onSent: OnSent | undefined }

export function createSend(needs: Needs) {
  const { messages, clock, access, append, deliver, acknowledge, attach, payloadOf, quotas, stopTyping, observer } =
    needs

  async function send(member: Member, draft: Draft, { startedAtMs, onSent }: SendContext): Promise<Sent> {
    if (member.isToBegin) await quotas.takeChat(member.userId)
    if (draft.replyToSeq !== undefined) await assertAnswerable(member, draft.replyToSeq)
    const { clientMessageId, attachmentIds: ids, ...content } = draft
    const attachments = ids && (await attach(attachRequest(member.userId, member.conversation.id, draft, ids)))
    const [{ row: message, duplicate }, replied] = await Promise.all([
      append<Message>(member, {
        clientMessageId,
        payload: payloadOf(textOf(draft), isOf(draft)),
        row: (entry) => ({ kind: 'message', ...entry, ...content, ...(attachments && { attachments }) }),
      }),
      acknowledge.deliveredSoFar(member),
    ])
    await access.begin(member)
    stopTyping(member)
    await Promise.all([
      deliver(member, message, { duplicate }),
      // Only the first attempt: by the time of a retry, more may have been delivered than the sender had seen.
      duplicate ? undefined : acknowledge.readByReply(member, replied),
    ])
    const sent = { message, duplicate }
    observer.sent(clock.monotonic() - startedAtMs)
    onSent?.(sent)
    return sent
  }

  /** To a user. Their chat is made by its first message: what is refused, or dies before it is stored, makes none. */
  async function sendTo(userId: UserId, otherId: UserId, draft: Draft, onSent?: OnSent): Promise<Sent> {
    const startedAtMs = clock.monotonic()
    return send(await access.direct(userId, otherId), draft, { startedAtMs, onSent })
  }

  const attachRequest = (
    userId: UserId,
    conversationId: ConversationId,
    draft: Draft,
    ids: readonly AttachmentId[],
  ): AttachRequest => ({
    userId,
    conversationId,
    clientMessageId: draft.clientMessageId,
    payload: payloadOf(textOf(draft), isOf(draft)),
    ids,
  })

  async function assertAnswerable({ conversation, joinedSeq }: Member, seq: Seq): Promise<void> {
    const row = await messages.get({ conversationId: conversation.id, seq })
    if (!row || !isMessage(row) || seq <= joinedSeq)
      throw badInput('replyToSeq', 'replyToSeq must be the seq of a message in this conversation.')
  }

  return {
    send: (member: Member, draft: Draft, onSent?: OnSent) =>
      send(member, draft, { startedAtMs: clock.monotonic(), onSent }),
    sendTo,
  }
}

/** A body cannot hold a NUL, so nothing else has the same. */
const textOf = ({ body, replyToSeq, attachmentIds }: Draft): string =>
  `${body}${replyToSeq === undefined ? '' : `\0reply ${replyToSeq}`}${attachmentIds === undefined ? '' : `\0attachments ${attachmentIds.join(' ')}`}`

/** Whether a row is this message, or what has become of it: of one that was edited or deleted since, the words are not known any more. */
const isOf =
  ({ body, replyToSeq, attachmentIds = [] }: Draft) =>
  (row: LogRow): boolean => {
    if (!isMessage(row) || row.replyToSeq !== replyToSeq) return false
    if (row.deletedAtMs !== undefined) return true
    const ids = row.attachments?.map(({ id }) => id) ?? []
    return ids.join() === attachmentIds.join() && (row.edited !== undefined || row.body === body)
  }
