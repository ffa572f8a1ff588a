import type { Ports } from '../../ports/ports.ts'
import type { Reservation, SendKey } from '../../ports/soft-state.ts'
import { ChatError } from '../../protocol/errors.ts'
import type { UserId } from '../../protocol/ids.ts'
import { type Member, othersOf } from '../conversations/access.ts'
import { directConversationId } from '../conversations/conversation-id.ts'

// Decides who may not write to whom; it concerns direct chats only. DynamoDB is the truth; Redis caches it, so that a send needs no further call.
// store/redis/block-cache.ts explains how the two stay consistent.

type Needs = Pick<Ports, 'blocks' | 'blockCache' | 'sequencer'> & { randomId: () => string }

export type Blocking = ReturnType<typeof createBlocking>

export function createBlocking({ blocks, blockCache, sequencer, randomId }: Needs) {
  async function setBlocked(userId: UserId, blockedId: UserId, blocked: boolean): Promise<void> {
    const [id, change] = [directConversationId(userId, blockedId), randomId()]
    await blockCache.begin(id, change)
    // If this fails, the change that was begun stays in Redis until the write can no longer take effect.
    await blocks.set({ userId, blockedId }, blocked)
    await blockCache.end(id, change)
  }

  /** Reserves a seq, which is the first step of everything a member writes. */
  async function reserve(member: Member, send: SendKey): Promise<Reservation | 'blocked' | undefined> {
    const { id } = member.conversation
    const other = otherIn(member)
    if (other === undefined) return sequencer.reserve(id, send)
    const lease = randomId()
    const reserved = await blockCache.reserve(id, send, lease)
    if (reserved !== 'unknown') return reserved
    const [isBlocked] = await read(member.userId, [other], lease)
    return isBlocked ? 'blocked' : sequencer.reserve(id, send)
  }

  async function isBlocked(member: Member): Promise<boolean> {
    const other = otherIn(member)
    return other !== undefined && (await areBlocking(member.userId, [other]))[0] === true
  }

  /** Returns whom of the others this user has blocked, in the order asked for. */
  const haveBlocked = (userId: UserId, others: readonly UserId[]): Promise<boolean[]> =>
    blocks.getMany(others.map((blockedId) => ({ userId, blockedId })))

  /** Returns which of the others have blocked this user, in the order asked for. */
  async function areBlocking(userId: UserId, others: readonly UserId[]): Promise<boolean[]> {
    if (others.length === 0) return []
    const lease = randomId()
    const found = await blockCache.look(
      others.map((other) => directConversationId(userId, other)),
      lease,
    )
    const unknown = others.filter((_, i) => found[i] === undefined)
    const answers = unknown.length > 0 ? await read(userId, unknown, lease) : []
    return others.map((other, i) => found[i]?.includes(other) ?? answers[unknown.indexOf(other)] === true)
  }

  /** Reads both directions from DynamoDB, and seeds the cache with them. */
  async function read(userId: UserId, others: readonly UserId[], lease: string): Promise<boolean[]> {
    const standing = await blocks.getMany(
      others.flatMap((other) => [
        { userId: other, blockedId: userId },
        { userId, blockedId: other },
      ]),
    )
    await Promise.all(
      others.map((other, i) => {
        const blockers = [other, userId].filter((_, which) => standing[2 * i + which])
        return blockCache.seed(directConversationId(userId, other), lease, blockers)
      }),
    )
    return others.map((_, i) => standing[2 * i] === true)
  }

  return {
    setBlocked,
    reserve,
    isBlocked,
    haveBlocked,
    areBlocking,
    blockedAbove: blocks.above,
    blockedBelow: blocks.below,
  }
}

/** The message is the same for every refusal, so that it does not reveal a block. */
export const refused = (): ChatError => new ChatError('FORBIDDEN', 'You cannot write in this conversation.')

/** Returns the user who could have blocked this member. */
function otherIn(member: Member): UserId | undefined {
  return member.conversation.kind === 'DIRECT' ? othersOf(member)[0] : undefined
}
