import { LRUCache } from 'lru-cache'
import type { BoundaryChange } from '../../ports/delivery.ts'
import type { Ports } from '../../ports/ports.ts'
import { GroupTicks, joinedRise, type Rise } from '../../protocol/group-ticks.ts'
import type { ConversationId, Seq, UserId } from '../../protocol/ids.ts'
import { entriesMax } from '../../shared/entries-max.ts'
import { audienceOf, audienceOfOthers, type Member } from '../conversations/access.ts'
import { createTellLater } from './tell-later.ts'

// Publishes boundaries after they are written. In a large group all members acknowledge the same message within a moment, and each rise
// concerns everybody's streams. So there a node publishes at once only what has risen in a group that was quiet, and then what has risen within
// a window, as one event. docs/protocol.md, "Ticks of large groups", has the interleavings.

/** Groups with more members are large. */
export const largeGroupAbove = 100
const windowMsMin = 25
const membersPerMs = 4
const groupsMax = 10_000

export type PublishBoundaries = ReturnType<typeof createPublishBoundaries>

type Needs = Pick<Ports, 'events' | 'tickStamps' | 'clock'>
type Options = { largeGroupAbove?: number | undefined }
/** What has risen since the last event. `published` resolves, or rejects, with the event that tells it. */
type Window = { rises: Map<UserId, Rise>; published: Promise<void> }

export function createPublishBoundaries({ events, tickStamps, clock }: Needs, options: Options = {}) {
  const largeAbove = options.largeGroupAbove ?? largeGroupAbove
  const { orTellLater, isAllTold } = createTellLater({ tickStamps, clock })
  const windows = new Map<ConversationId, Window>()
  const publishedAtMs = new LRUCache<ConversationId, number>(entriesMax(groupsMax))

  /**
   * Resolves when the boundaries are published and their cached ones lifted. The member's own streams show what the member has read, on whatever
   * device, and not what was delivered.
   */
  async function publish(
    member: Member,
    change: BoundaryChange,
    { ofRead }: { ofRead: boolean },
  ): Promise<{ pendingVersion: number }> {
    const audience = ofRead ? audienceOf(member) : audienceOfOthers(member)
    if (!isLarge(member)) return events.publishBoundaries(audience, change.boundaries, ofRead)
    const [lifted] = await Promise.all([events.publishBoundaries([], change.boundaries, ofRead), tell(member, change)])
    return lifted
  }

  /** Does the same, and does not wait for the window of a large group: a sender waits. What is lost then is found by the periodic resync. */
  async function publishSoon(member: Member, change: BoundaryChange): Promise<void> {
    if (!isLarge(member)) return void (await events.publishBoundaries(audienceOf(member), change.boundaries, true))
    orTellLater(member, () => tell(member, change)).catch(() => undefined)
    await events.publishBoundaries([], change.boundaries, true)
  }

  const isLarge = ({ conversation }: Member): boolean =>
    conversation.kind === 'GROUP' && conversation.members.length > largeAbove

  function tell({ conversation, joinedSeq }: Member, { boundaries: ticks, before }: BoundaryChange): Promise<void> {
    const { userId } = ticks
    const rise: Rise = before ? { ticks, before: sinceJoined(before, joinedSeq) } : { ticks }
    const window = windows.get(conversation.id) ?? openWindow(conversation.id, conversation.members.length)
    const waiting = window.rises.get(userId)
    window.rises.set(userId, waiting ? joinedRise(waiting, rise) : rise)
    return window.published
  }

  function openWindow(id: ConversationId, members: number): Window {
    const rises = new Map<UserId, Rise>()
    const window = { rises, published: publishAfterWindow(id, members, rises) }
    windows.set(id, window)
    return window
  }

  async function publishAfterWindow(id: ConversationId, members: number, rises: Window['rises']): Promise<void> {
    const lastAtMs = publishedAtMs.get(id) ?? Number.NEGATIVE_INFINITY
    const waitMs = lastAtMs + Math.max(windowMsMin, members / membersPerMs) - clock.monotonic()
    // Without a wait, what comes in this turn is told together.
    await (waitMs > 0 ? clock.sleep(waitMs) : undefined)
    windows.delete(id)
    publishedAtMs.set(id, clock.monotonic())
    await events.publishGroupTicks(new GroupTicks(id, [...rises.values()]))
  }

  return { publish, publishSoon, orTellLater, isAllTold }
}

/** Messages from before a member joined do not wait for that member. */
const sinceJoined = (
  { lastDeliveredSeq, lastReadSeq }: { lastDeliveredSeq: Seq; lastReadSeq: Seq },
  joinedSeq: Seq,
): Rise['before'] & object => ({
  lastDeliveredSeq: Math.max(lastDeliveredSeq, joinedSeq),
  lastReadSeq: Math.max(lastReadSeq, joinedSeq),
})
