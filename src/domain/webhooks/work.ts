import type { Clock } from '../../ports/clock.ts'
import type { FeedPosition } from '../../ports/feed.ts'
import type { Lease } from '../../ports/leases.ts'
import type { Ports } from '../../ports/ports.ts'
import type { ShareProgress, Webhook, WebhookObserver, WebhookPost } from '../../ports/webhooks.ts'
import type { FeedReader } from '../feed/feed-reader.ts'
import { type FeedPositions, feedBeginning } from '../feed/positions.ts'
import { type Delivery, startDelivery } from './delivery.ts'
import type { LaneEvents } from './lane-events.ts'
import { joinPositions, ownPositions, partitionsOf, shareCount, shares } from './shares.ts'

// Divides the shares of the feed over the nodes. A node that is there holds a slot, which is a lease, and the slots that are held say who
// works: each share belongs to one of them. Whoever a share belongs to takes its lease as soon as that is free, and whoever holds a share that belongs
// to another one ends it. A killed node holds its slot and its shares until their time is over.
//
// Only leases and conditions decide. Two nodes that see different slots for a moment may both want a share, and one of them gets it.

const leaseMs = 15_000
const holdWhenLeftMs = 10_000
/** Requests that are under way when a node stops have so long to end. */
const endWithinMs = 3000

const slotName = (slot: number): string => `webhooks-node-${slot}`
const shareName = (share: number): string => `webhooks-share-${share}`

type Needs = Pick<Ports, 'leases' | 'webhooks' | 'webhookProgress' | 'webhookFailures'> & {
  clock: Clock
  random: () => number
  /** This node, in its leases. */
  holder: string
  post: WebhookPost['post']
  laneEvents: LaneEvents
  observer: WebhookObserver
  openFeed: (from: FeedPositions, mine: readonly number[]) => FeedReader
  disable: (webhookId: string, reason: string) => Promise<void>
  onError: (error: unknown) => void
}

/** `endsAtMs` is by the monotonic clock, and counted from before the lease was asked for. */
type Held = { lease: Lease; endsAtMs: number }
/**
 * `ending` has the webhooks of which something is under way that nothing new must overtake. `leaving` says that all of them end, because the share
 * goes to another node; until then it is held.
 */
type HeldShare = Held & { deliveries: Map<string, Delivery>; ending: Set<string>; leaving: boolean }

export function createWebhookWork(needs: Needs) {
  const { leases, webhooks, webhookProgress, webhookFailures, clock, holder, disable, observer, onError } = needs
  const held = new Map<number, HeldShare>()
  let slot: Held | undefined
  let slotAt = 0

  const times = () => ({ nowMs: clock.now(), untilMs: clock.now() + leaseMs })

  async function take(name: string): Promise<Held | undefined> {
    const endsAtMs = clock.monotonic() + leaseMs
    const lease = await leases.take(name, holder, times())
    return lease && { lease, endsAtMs }
  }

  /** Returns the lease, held for longer if its end is near; undefined where it was lost. */
  async function hold<H extends Held>(mine: H): Promise<H | undefined> {
    const nowMs = clock.monotonic()
    if (mine.endsAtMs - nowMs > holdWhenLeftMs) return mine
    const lease = await leases.hold(mine.lease, clock.now() + leaseMs)
    return lease && Object.assign(mine, { lease, endsAtMs: nowMs + leaseMs })
  }

  /** Looks who is there, takes and gives back shares, and looks at the webhooks. */
  async function tick(): Promise<void> {
    const all = await webhooks.list()
    if (all.length === 0 && [...held.values()].every(({ deliveries }) => deliveries.size === 0)) return stop()
    const found = await leases.getMany([...shares.map(slotName), ...shares.map(shareName)])
    const now = clock.now()
    const standing = new Map(found.filter(({ untilMs }) => untilMs > now).map((lease) => [lease.name, lease]))
    await keepSlot(standing)
    const there = [...new Set(shares.flatMap((each) => standing.get(slotName(each))?.holder ?? []))].sort()
    if (slot && !there.includes(holder)) there.push(holder)
    // No share waits for what another one has under way, because its own lease may be over by then.
    await Promise.all(
      shares.map((share) => {
        const belongsTo = there[share % Math.max(1, there.length)]
        return settle(share, belongsTo === holder, standing.get(shareName(share)))
      }),
    )
    await Promise.all([...held].map(([share, mine]) => workOn(share, mine, all)))
  }

  async function keepSlot(standing: ReadonlyMap<string, Lease>): Promise<void> {
    slot = slot && (await hold(slot))
    for (let i = 0; i < shareCount && !slot; i += 1) {
      const at = (slotAt + i) % shareCount
      const other = standing.get(slotName(at))
      if (!other || other.holder === holder) slot = await take(slotName(at))
      if (slot) slotAt = at
    }
  }

  async function settle(share: number, isMine: boolean, standing: Lease | undefined): Promise<void> {
    const mine = held.get(share)
    if (mine && !isMine && !mine.leaving) {
      mine.leaving = true
      void giveBack(share, mine).catch(onError)
    }
    if (mine) {
      if (!(await hold(mine))) {
        mine.endsAtMs = Number.NEGATIVE_INFINITY
        await lose(share, mine, 0)
      }
    } else if (isMine && (!standing || standing.holder === holder)) {
      const taken = await take(shareName(share))
      if (taken) held.set(share, { ...taken, deliveries: new Map(), ending: new Set(), leaving: false })
    }
  }

  async function giveBack(share: number, mine: HeldShare, withinMs?: number): Promise<void> {
    await lose(share, mine, withinMs)
    await leases.end(mine.lease)
  }

  async function lose(share: number, mine: HeldShare, withinMs?: number): Promise<void> {
    await Promise.all([...mine.deliveries.values()].map((each) => each.stop(withinMs)))
    if (held.get(share) === mine) held.delete(share)
  }

  /** Starts, changes and stops the deliveries of a share, so that they are those of the webhooks as they are now. */
  async function workOn(share: number, mine: HeldShare, all: readonly Webhook[]): Promise<void> {
    const { deliveries, ending, leaving } = mine
    if (leaving) return
    for (const [id, delivery] of deliveries) {
      const webhook = all.find((each) => each.id === id)
      if (ending.has(id)) continue
      if (webhook?.enabled && webhook.run === delivery.webhook().run && !delivery.isOver()) delivery.change(webhook)
      else {
        ending.add(id)
        void endDelivery(share, mine, id, delivery, webhook === undefined).catch(onError)
      }
    }
    for (const webhook of all) {
      if (webhook.enabled && !deliveries.has(webhook.id)) deliveries.set(webhook.id, await begin(share, mine, webhook))
    }
  }

  async function endDelivery(
    share: number,
    { deliveries, ending }: HeldShare,
    id: string,
    delivery: Delivery,
    isGone: boolean,
  ) {
    await delivery.stop()
    deliveries.delete(id)
    ending.delete(id)
    if (isGone) await webhookProgress.remove(id, share)
  }

  async function begin(share: number, mine: HeldShare, webhook: Webhook): Promise<Delivery> {
    const { id } = webhook
    const begun = progressOf(webhook, share, (await webhookProgress.of(id)).get(share))
    const from = joinPositions((each) => (each === share ? begun.positions : ownPositions(each, feedBeginning)))
    return startDelivery(share, webhook, begun, {
      ...needs,
      failures: webhookFailures,
      observer,
      reader: needs.openFeed(from, partitionsOf(share)),
      isHeld: () => held.get(share) === mine && clock.monotonic() < mine.endsAtMs,
      save: (progress) => webhookProgress.save(id, share, mine.lease.version, progress),
      onGone: () => void disable(id, 'The endpoint answered 410 Gone.').catch(onError),
      onLongFailure: (sinceMs) => void disableIfAllFail(id, sinceMs).catch(onError),
    })
  }

  /** Switches the webhook off, unless a share of it has had a success since then. */
  async function disableIfAllFail(id: string, sinceMs: number): Promise<void> {
    const all = [...(await webhookProgress.of(id)).values()]
    if (all.some(({ lastSuccessMs = 0 }) => lastSuccessMs > sinceMs)) return
    await disable(id, 'The endpoint has taken nothing for five days.')
  }

  /** Gives everything back: to other nodes, or because there is nothing to do. */
  async function stop(): Promise<void> {
    await Promise.all([...held].map(([share, mine]) => giveBack(share, mine, endWithinMs)))
    if (slot) await leases.end(slot.lease)
    slot = undefined
  }

  return { tick, stop }
}

/** Returns where a share is, or where it begins: no progress of this run is stored yet. */
export function progressOf(webhook: Webhook, share: number, stored: ShareProgress | undefined): ShareProgress {
  if (stored && stored.run === webhook.run) return stored
  const positions: readonly FeedPosition[] = ownPositions(share, webhook.start)
  return { run: webhook.run, againRun: 0, positions, resumedAtMs: webhook.resumedAtMs, lanes: [] }
}
