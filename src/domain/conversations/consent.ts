import type { Departure } from '../../ports/people.ts'
import type { Ports } from '../../ports/ports.ts'
import type { ConversationId, UserId } from '../../protocol/ids.ts'
import { seqMax } from '../../protocol/limits.ts'
import { isMessage } from '../log/log.ts'
import type { ErasedAmong } from '../people/people.ts'
import { directConversationId } from './conversation-id.ts'

// Decides whom a member may add to a group. Two kinds of people are left out silently: those who have blocked the member, and those who
// left the group by themselves. So are those who were erased. A user who left can be added again by a member to whom they have written since they left.
//
// A departure is written before the member leaves, and read after the group was. So a node that reads the group without
// a user who left also reads the departure, and the change is made only for that version of the group (groups.ts).

/** This many messages of the direct chat with the member who adds are looked at. Older ones say nothing about today. */
const messagesLookedAt = 20
const chatsAtATime = 25

type Needs = Pick<Ports, 'blocks' | 'departures' | 'messages'> & { erasedAmong: ErasedAmong }
/** `returning` are the departures of those who left before and may come back. */
type Consent = { refusing: ReadonlySet<UserId>; returning: readonly Departure[] }

export function createConsent({ blocks, departures, messages, erasedAmong }: Needs) {
  /** `groupId` is undefined for a group that is being created, which no user can have left. */
  return async function consentOf(
    userIds: readonly UserId[],
    actorId: UserId,
    groupId?: ConversationId,
  ): Promise<Consent> {
    const others = userIds.filter((userId) => userId !== actorId)
    if (others.length === 0) return { refusing: new Set(), returning: [] }
    const [isBlocking, left, erased] = await Promise.all([
      blocks.getMany(others.map((userId) => ({ userId, blockedId: actorId }))),
      groupId ? departures.getMany(groupId, others) : [],
      erasedAmong(others),
    ])
    const asked = await askedToReturn(left, actorId)
    const stayAway = left.filter((departure) => !asked.has(departure)).map(({ userId }) => userId)
    const refusing = new Set([...others.filter((_, i) => isBlocking[i]), ...stayAway, ...erased])
    return { refusing, returning: [...asked].filter(({ userId }) => !refusing.has(userId)) }
  }

  async function askedToReturn(left: readonly Departure[], actorId: UserId): Promise<Set<Departure>> {
    const asked = new Set<Departure>()
    for (let i = 0; i < left.length; i += chatsAtATime) {
      await Promise.all(
        left.slice(i, i + chatsAtATime).map(async (departure) => {
          if (await hasWritten(departure, actorId)) asked.add(departure)
        }),
      )
    }
    return asked
  }

  async function hasWritten({ userId, leftAtMs }: Departure, actorId: UserId): Promise<boolean> {
    const rows = await messages.below(directConversationId(userId, actorId), seqMax + 1, messagesLookedAt)
    return rows.some((row) => isMessage(row) && row.senderId === userId && row.sentAtMs > leftAtMs)
  }
}
