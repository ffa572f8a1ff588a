import { createHash } from 'node:crypto'
import { ChatError, unavailable } from '../protocol/errors.ts'
import type { ClientMessageId, ConversationId, MessageId, Seq, UserId } from '../protocol/ids.ts'
import type { Access, Member } from './access.ts'
import type { Acknowledge } from './acknowledge.ts'
import { directConversationId } from './conversation-id.ts'
import type { Deliver } from './deliver.ts'
import type { Heads } from './heads.ts'
import type { Log } from './log.ts'
import type { Claim, LogRow, Message, Ports, SendKey } from './ports.ts'

// Sending, in five steps: reserve a number, claim it for this send, write the message into its cell, deliver, answer.
//
// Redis's number is a hint. The claim (one per sender and client id, for ever) decides where this send goes; the cell
// (written once) decides who is there. A claim moves only when its cell holds something else, and a cell once taken stays
// taken, so a slower attempt of the same send can never write at the old place: at most one message per send (P2).
//
// What a crash leaves, and who heals it:
//   after reserve: a hole, voided by the next reader. After the claim: the retry adopts it. After the write: the retry
//   finds the message and delivers again. After the delivery: the retry gets the message, duplicate.

export type Draft = { clientMessageId: ClientMessageId; body: string }
export type Sent = { message: Message; duplicate: boolean }

/** Each further attempt means that a rival or a void took the cell; more than a few only under a storm of faults. */
const attemptsMax = 20

type Needs = Pick<Ports, 'sequencer' | 'claims' | 'messages' | 'clock'> & {
  access: Access
  log: Log
  heads: Heads
  deliver: Deliver
  acknowledge: Acknowledge
  nextMessageId: () => MessageId
}

export function createSend(needs: Needs) {
  const { sequencer, claims, messages, clock, access, log, heads, deliver, acknowledge, nextMessageId } = needs

  async function send(member: Member, draft: Draft): Promise<Sent> {
    const [claim, replied] = await Promise.all([claimSeq(member, draft), acknowledge.deliveredSoFar(member)])
    const sent = await write(claim, draft)
    heads.saw(sent.message.conversationId, sent.message.seq)
    await Promise.all([
      deliver(member, sent),
      // Only the first attempt: by the time of a retry, more may have been delivered than the sender had seen.
      sent.duplicate ? undefined : acknowledge.readByReply(member, replied),
    ])
    return sent
  }

  /** To a user. Their chat is made by its first message, unless that turns out to be another message's retry. */
  async function sendTo(userId: UserId, otherId: UserId, draft: Draft): Promise<Sent> {
    const existing = await access.findDirect(userId, otherId)
    if (existing) return send(existing, draft)
    const claim = await claims.get(userId, draft.clientMessageId)
    if (claim && claim.conversationId !== directConversationId(userId, otherId)) throw conflict()
    return send(await access.direct(userId, otherId), draft)
  }

  async function claimSeq(member: Member, draft: Draft): Promise<Claim> {
    const conversationId = member.conversation.id
    const key = { senderId: member.userId, clientMessageId: draft.clientMessageId }
    const payloadHash = hashOf(draft)
    const reserved = (await sequencer.reserve(conversationId, key)) ?? (await seedAndReserve(conversationId, key))
    const earlier = reserved.known ? await claims.get(key.senderId, key.clientMessageId) : undefined
    const wanted: Claim = { ...key, conversationId, seq: reserved.seq, payloadHash }
    const standing = earlier ?? (await claims.claim(wanted))

    // The claim is another attempt's, so the number reserved here is left over.
    const sameContent = standing.conversationId === conversationId && standing.payloadHash === payloadHash
    if (!reserved.known && !(sameContent && standing.seq === reserved.seq)) await abandon(conversationId, reserved.seq)
    if (!sameContent) throw conflict()
    return standing
  }

  /** Redis forgot the counter. It is seeded from the log, never from 0. */
  async function seedAndReserve(conversationId: ConversationId, key: SendKey) {
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      await sequencer.seed(conversationId, await log.lastSeq(conversationId))
      const reserved = await sequencer.reserve(conversationId, key)
      if (reserved) return reserved
    }
    throw unavailable()
  }

  async function write(claim: Claim, { body }: Draft): Promise<Sent> {
    const messageId = nextMessageId()
    const sentAtMs = clock.now()
    let { seq } = claim
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      const { conversationId, senderId, clientMessageId } = claim
      const row: Message = {
        kind: 'message',
        conversationId,
        seq,
        messageId,
        clientMessageId,
        senderId,
        body,
        sentAtMs,
      }
      if ((await messages.put(row)) === 'written') return { message: row, duplicate: false }
      const cell = await messages.get(row)
      // With our own message id it is this very attempt, whose answer got lost on the way.
      if (cell && isOf(claim, cell)) return { message: cell, duplicate: cell.messageId !== messageId }
      seq = await moveOn({ ...claim, seq })
    }
    throw unavailable()
  }

  /** The claim's cell holds a rival or a void. Returns where the claim stands now, moved by us or by another attempt. */
  async function moveOn(claim: Claim): Promise<Seq> {
    const { conversationId } = claim
    const taken = Math.max(claim.seq, await log.lastSeq(conversationId))
    const next = await sequencer.reserveAbove(conversationId, taken)
    if (await claims.move(claim, next)) return next
    const standing = await claims.get(claim.senderId, claim.clientMessageId)
    if (!standing) throw unavailable()
    // A move that was carried out but looked failed has brought the claim to `next` after all.
    if (standing.seq !== next) await abandon(conversationId, next)
    return standing.seq
  }

  /** Gives a number back or, if later ones were given out already, skips it for good. */
  async function abandon(conversationId: ConversationId, seq: Seq): Promise<void> {
    if (await sequencer.giveBack(conversationId, seq)) return
    await messages.put({ kind: 'void', conversationId, seq })
  }

  return { send, sendTo }
}

const conflict = () =>
  new ChatError('IDEMPOTENCY_CONFLICT', 'This clientMessageId was used before, for another message.', {
    field: 'clientMessageId',
  })

const isOf = (claim: Claim, cell: LogRow): cell is Message =>
  cell.kind === 'message' && cell.senderId === claim.senderId && cell.clientMessageId === claim.clientMessageId

const hashOf = ({ body }: Draft): string => createHash('sha256').update(body).digest('base64url')
