import { hash } from 'node:crypto'
import type { Attachment, Message } from '../ports/log.ts'
import type { Observer } from '../ports/observer.ts'
import type { Ports } from '../ports/ports.ts'
import { badInput } from '../protocol/errors.ts'
import type { AttachmentId, ClientMessageId, ConversationId, Seq, UserId } from '../protocol/ids.ts'
import type { Access, Member } from './access.ts'
import type { Acknowledge } from './acknowledge.ts'
import { type Append, conflict } from './append.ts'
import type { AttachRequest } from './attachments.ts'
import { type Blocking, refused } from './blocking.ts'
import { directConversationId } from './conversation-id.ts'
import type { Deliver } from './deliver.ts'
import { isMessage } from './log.ts'

// Sending, in three steps: put the message into the log, deliver it, answer. A crash after the first leaves a message that
// the retry finds and delivers again; after the second, the retry gets the message, duplicate.

/** `attachmentIds`: at least one, where there are any. */
export type Draft = {
  clientMessageId: ClientMessageId
  body: string
  replyToSeq?: Seq
  attachmentIds?: readonly AttachmentId[]
}
export type Sent = { message: Message; duplicate: boolean }
/** Told of what was sent just before the sender is. */
export type Witness = (sent: Sent) => void

type Needs = Pick<Ports, 'claims' | 'messages' | 'clock'> & {
  access: Access
  append: Append
  deliver: Deliver
  acknowledge: Acknowledge
  blocking: Blocking
  attach: (request: AttachRequest) => Promise<readonly Attachment[]>
  onSent: (member: Member) => void
  observer: Observer
}

type Circumstances = { startedAtMs: number; witness: Witness | undefined; attached?: readonly Attachment[] | undefined }

export function createSend(needs: Needs) {
  const { claims, messages, clock, access, append, deliver, acknowledge, blocking, attach, onSent, observer } = needs

  async function send(member: Member, draft: Draft, { startedAtMs, witness, attached }: Circumstances): Promise<Sent> {
    if (draft.replyToSeq !== undefined) await assertAnswerable(member, draft.replyToSeq)
    const { clientMessageId, attachmentIds: ids, ...content } = draft
    const attachments =
      attached ?? (ids && (await attach(attachRequest(member.userId, member.conversation.id, draft, ids))))
    const [{ row: message, duplicate }, replied] = await Promise.all([
      append<Message>(member, {
        clientMessageId,
        payloadHash: hashOf(draft),
        row: (entry) => ({ kind: 'message', ...entry, ...content, ...(attachments && { attachments }) }),
      }),
      acknowledge.deliveredSoFar(member),
    ])
    onSent(member)
    await Promise.all([
      deliver(member, message, { duplicate }),
      // Only the first attempt: by the time of a retry, more may have been delivered than the sender had seen.
      duplicate ? undefined : acknowledge.readByReply(member, replied),
    ])
    const sent = { message, duplicate }
    observer.sent(clock.now() - startedAtMs)
    witness?.(sent)
    return sent
  }

  /** To a user. Their chat is made by its first message, unless that turns out to be another message's retry. */
  async function sendTo(userId: UserId, otherId: UserId, draft: Draft, witness?: Witness): Promise<Sent> {
    const startedAtMs = clock.now()
    const existing = await access.findDirect(userId, otherId)
    if (existing) return send(existing, draft, { startedAtMs, witness })
    const conversationId = directConversationId(userId, otherId)
    const claim = await claims.get(userId, draft.clientMessageId)
    if (claim && claim.conversationId !== conversationId) throw conflict()
    const [isBlocked] = otherId === userId ? [] : await blocking.areBlocking(userId, [otherId])
    if (isBlocked) throw refused()
    // Before the chat is made: what cannot be sent makes none.
    const ids = draft.attachmentIds
    const attached = ids && (await attach(attachRequest(userId, conversationId, draft, ids)))
    return send(await access.direct(userId, otherId), draft, { startedAtMs, witness, attached })
  }

  async function assertAnswerable({ conversation, joinedSeq }: Member, seq: Seq): Promise<void> {
    const row = await messages.get({ conversationId: conversation.id, seq })
    if (!row || !isMessage(row) || seq <= joinedSeq)
      throw badInput('replyToSeq', 'replyToSeq must be the seq of a message in this conversation.')
  }

  return {
    send: (member: Member, draft: Draft, witness?: Witness) =>
      send(member, draft, { startedAtMs: clock.now(), witness }),
    sendTo,
  }
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
  payloadHash: hashOf(draft),
  ids,
})

/** A body cannot hold a NUL, so nothing else hashes to the same. */
const hashOf = ({ body, replyToSeq, attachmentIds }: Draft): string =>
  hash(
    'sha256',
    `${body}${replyToSeq === undefined ? '' : `\0reply ${replyToSeq}`}${attachmentIds === undefined ? '' : `\0attachments ${attachmentIds.join(' ')}`}`,
    'base64url',
  )
