import { createHash } from 'node:crypto'
import { badInput } from '../protocol/errors.ts'
import type { ClientMessageId, Seq, UserId } from '../protocol/ids.ts'
import type { Access, Member } from './access.ts'
import type { Acknowledge } from './acknowledge.ts'
import { type Append, conflict } from './append.ts'
import { type Blocking, refused } from './blocking.ts'
import { directConversationId } from './conversation-id.ts'
import type { Deliver } from './deliver.ts'
import { isMessage } from './log.ts'
import type { Message, Ports } from './ports.ts'

// Sending, in three steps: put the message into the log, deliver it, answer. A crash after the first leaves a message that
// the retry finds and delivers again; after the second, the retry gets the message, duplicate.

export type Draft = { clientMessageId: ClientMessageId; body: string; replyToSeq?: Seq }
export type Sent = { message: Message; duplicate: boolean }

type Needs = Pick<Ports, 'claims' | 'messages'> & {
  access: Access
  append: Append
  deliver: Deliver
  acknowledge: Acknowledge
  blocking: Blocking
  onSent: (member: Member) => void
}

export function createSend({ claims, messages, access, append, deliver, acknowledge, blocking, onSent }: Needs) {
  async function send(member: Member, draft: Draft): Promise<Sent> {
    if (draft.replyToSeq !== undefined) await assertAnswerable(member, draft.replyToSeq)
    const { clientMessageId, ...content } = draft
    const [{ row: message, duplicate }, replied] = await Promise.all([
      append<Message>(member, {
        clientMessageId,
        payloadHash: hashOf(draft),
        row: (entry) => ({ kind: 'message', ...entry, ...content }),
      }),
      acknowledge.deliveredSoFar(member),
    ])
    onSent(member)
    await Promise.all([
      deliver(member, message, { duplicate }),
      // Only the first attempt: by the time of a retry, more may have been delivered than the sender had seen.
      duplicate ? undefined : acknowledge.readByReply(member, replied),
    ])
    return { message, duplicate }
  }

  /** To a user. Their chat is made by its first message, unless that turns out to be another message's retry. */
  async function sendTo(userId: UserId, otherId: UserId, draft: Draft): Promise<Sent> {
    const existing = await access.findDirect(userId, otherId)
    if (existing) return send(existing, draft)
    const claim = await claims.get(userId, draft.clientMessageId)
    if (claim && claim.conversationId !== directConversationId(userId, otherId)) throw conflict()
    const [isBlocked] = otherId === userId ? [] : await blocking.areBlocking(userId, [otherId])
    if (isBlocked) throw refused()
    return send(await access.direct(userId, otherId), draft)
  }

  async function assertAnswerable({ conversation, joinedSeq }: Member, seq: Seq): Promise<void> {
    const row = await messages.get({ conversationId: conversation.id, seq })
    if (!row || !isMessage(row) || seq <= joinedSeq)
      throw badInput('replyToSeq', 'replyToSeq must be the seq of a message in this conversation.')
  }

  return { send, sendTo }
}

/** A body cannot hold a NUL, so nothing else hashes to the same. */
const hashOf = ({ body, replyToSeq }: Draft): string =>
  createHash('sha256')
    .update(replyToSeq === undefined ? body : `${body}\0reply ${replyToSeq}`)
    .digest('base64url')
