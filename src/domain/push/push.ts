import type { MemberAddress } from '../../ports/delivery.ts'
import type { Message } from '../../ports/log.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Banners, ClaimedBanner, Device, Notification, PushObserver, PushQueue, Shown } from '../../ports/push.ts'
import type { ConversationId, Seq, UserId } from '../../protocol/ids.ts'
import type { Access } from '../conversations/access.ts'
import type { Devices } from './devices.ts'
import { createPushExpand } from './push-expand.ts'
import { createPushLanes, type Tried } from './push-lanes.ts'
import type { PushRules } from './push-rules.ts'

// Telling people who are away. A send leaves a job in the queue and goes on. Some node's worker takes it and wants a banner for every
// member nobody is attached for; a banner belongs to one user and one conversation, so that what comes while it waits joins it.
//
// Looking at a banner means: what should the user's devices show of this conversation, as things are now? The newest message that
// they have not read, or nothing. Then each device that shows something else is told. So a push that is late shows the newest text; a
// retry goes only to the devices that missed it; and a banner that was read elsewhere, or whose message was deleted, is taken away by the
// very same look.
//
// A device is noted down before the boundary is read and the push is sent. Whoever reads the message after that look sees the note and
// wants the banner again; whoever read it before is seen by the look.

const jobsAtATime = 50
const bannersAtATime = 64
const askedAtATime = 100
const underWayMax = 256
/** Longer than a look can take. */
const leaseMs = 60_000
/** Nobody wants to hear of it after that. */
const expiryMs = 3_600_000
const backoffMinMs = 1000
const backoffMaxMs = 60_000
const budgetMax = 20
const budgetWindowMs = 60_000

/** What is done with pushes by those who have other things to do: each returns at once. */
export type Pushes = {
  sent(message: Message): void
  read(member: MemberAddress): void
  /** A message of theirs, which devices may show. */
  deleted(members: readonly MemberAddress[]): void
  /** To a stream that has ended, and never acked. */
  missed(userId: UserId, upTo: readonly [ConversationId, Seq][]): void
}

export const noPushes: Pushes = {
  sent: () => undefined,
  read: () => undefined,
  deleted: () => undefined,
  missed: () => undefined,
}

/** When to look again. `failed`: because something went wrong. */
type Again = { atMs: number; failed: boolean }

type Needs = Pick<Ports, 'boundaries' | 'sessions' | 'clock'> & {
  queue: PushQueue
  banners: Banners
  providers: NonNullable<Ports['push']>['providers']
  access: Access
  devices: Devices
  rules: PushRules
  random: () => number
  observer: PushObserver
}

export function createPush(needs: Needs) {
  const { queue, banners, providers, boundaries, clock, devices, rules, random, observer } = needs
  const expand = createPushExpand(needs)
  const lanes = createPushLanes(clock)
  const underWay = new Set<Promise<void>>()

  function sent({ conversationId, seq, senderId, sentAtMs }: Message): void {
    queue.add({ conversationId, seq, senderId, atMs: sentAtMs }).then(
      () => observer.queued('added'),
      (error) => {
        observer.queued('failed')
        observer.failed(error)
      },
    )
  }

  function read(member: MemberAddress): void {
    lookAgain([member]).catch(observer.failed)
  }

  function deleted(members: readonly MemberAddress[]): void {
    lookAgain(members).catch(observer.failed)
  }

  /** At the banners that may have to be taken away. */
  async function lookAgain(members: readonly MemberAddress[]): Promise<void> {
    for (let i = 0; i < members.length; i += askedAtATime) {
      const some = members.slice(i, i + askedAtATime)
      const shown = await Promise.all(some.map(banners.any))
      const wanted = some.filter((_, place) => shown[place])
      const atMs = clock.now()
      if (wanted.length === 0) continue
      await queue.want(
        wanted.map(({ userId, conversationId }) => ({ userId, conversationId, seq: 0, atMs })),
        { urgent: true },
      )
    }
  }

  function missed(userId: UserId, upTo: readonly [ConversationId, Seq][]): void {
    if (upTo.length === 0) return
    const atMs = clock.now()
    queue.want(upTo.map(([conversationId, seq]) => ({ userId, conversationId, seq, atMs }))).catch(observer.failed)
  }

  /** Some work, if there is any. It returns when that has begun; `settled` when it has ended. */
  async function tick(): Promise<{ found: number; settled: Promise<void> }> {
    const jobs = await queue.take(jobsAtATime)
    const old = jobs.filter(({ job }) => isOver(job.atMs))
    for (const _ of old) observer.dead('expired')
    await queue.done([...old, ...(await expand(jobs.filter((taken) => !old.includes(taken))))])
    const room = Math.min(underWayMax - underWay.size, bannersAtATime)
    const claimed = room > 0 ? await queue.claim(room, leaseMs) : []
    const looks = claimed.sort((one, other) => other.atMs - one.atMs).map(begin)
    return { found: jobs.length + claimed.length, settled: Promise.all(looks).then(() => undefined) }
  }

  function begin(banner: ClaimedBanner): Promise<void> {
    const look = lookAndSettle(banner).finally(() => underWay.delete(look))
    underWay.add(look)
    return look
  }

  /** If this fails altogether, the lease runs out. */
  async function lookAndSettle(banner: ClaimedBanner): Promise<void> {
    try {
      const again = await look(banner).catch((error): Again => {
        observer.failed(error)
        return { atMs: clock.now() + backoffMs(banner.attempts), failed: true }
      })
      const attempts = again ? banner.attempts + (again.failed ? 1 : 0) : 0
      await queue.settle({ ...banner, attempts }, again?.atMs)
    } catch (error) {
      observer.failed(error)
    }
  }

  /** Brings the user's devices in line. Returns when to look again, if something is left to do. */
  async function look(banner: ClaimedBanner): Promise<Again | undefined> {
    const own = await devices.of(banner.userId)
    if (own.length === 0) return undefined
    const [shown, audience] = await Promise.all([banners.of(banner), rules.audience(banner)])
    const isFresh = !isOver(banner.atMs)
    if (!isFresh) observer.dead('expired')
    const behind = audience && isFresh ? own.filter(({ deviceId }) => !shows(shown.get(deviceId), banner.seq)) : []
    if (behind.length > 0) await banners.note(banner, new Map(behind.map(noted({ seq: banner.seq, accepted: false }))))

    const [ticks] = await boundaries.getMany([banner])
    const lastReadSeq = ticks?.lastReadSeq ?? 0
    const message = audience && behind.length > 0 ? await rules.newest(audience, banner.seq, lastReadSeq) : undefined
    // An older one than was wanted, where that is not to be shown: some may show it already.
    const missing = message ? behind.filter(({ deviceId }) => !shows(shown.get(deviceId), message.seq)) : []
    if (audience && message && missing.length > 0) {
      const mayGo = banner.attempts > 0 || (await isWithinBudget(banner.userId))
      await restore(banner, mayGo ? behind.filter((device) => !missing.includes(device)) : behind, shown)
      if (mayGo) return tell(banner, missing, shown, await rules.compose(message, audience))
      return { atMs: nextWindowMs(), failed: false }
    }
    await restore(banner, behind, shown)
    const seqOn = ({ deviceId }: Device): Seq | undefined => shown.get(deviceId)?.seq
    const { conversationId } = banner
    const unreadSeqs = own.map(seqOn).filter((seq) => seq !== undefined && seq > lastReadSeq)
    const gone = await rules.deletedOf(conversationId, unreadSeqs)
    const outdated = own.filter((device) => {
      const seq = seqOn(device)
      return seq !== undefined && (seq <= lastReadSeq || gone.has(seq))
    })
    if (outdated.length === 0) return undefined
    return tell(banner, outdated, shown, { type: 'withdraw', conversationId, seq: Math.max(lastReadSeq, ...gone) })
  }

  /** To each of these devices; notes down what they show then. */
  async function tell(
    banner: ClaimedBanner,
    to: readonly Device[],
    before: ReadonlyMap<string, Shown>,
    notification: Notification,
  ): Promise<Again | undefined> {
    const shown = { seq: notification.seq, accepted: true }
    const after = new Map<Device['deviceId'], Shown | null>()
    let retryAtMs: number | undefined
    await Promise.all(
      to.map(async (device) => {
        const { outcome, tried } = await attempt(device, notification)
        const wasThere = before.get(device.deviceId) ?? null
        if (outcome.type === 'accepted') after.set(device.deviceId, notification.type === 'show' ? shown : null)
        else if (outcome.type === 'retry') {
          // What was tried may have arrived all the same.
          if (!tried) after.set(device.deviceId, wasThere)
          const delayMs = Math.max(outcome.afterMs ?? 0, tried ? backoffMs(banner.attempts) : 0)
          retryAtMs = Math.max(retryAtMs ?? 0, clock.now() + delayMs)
        } else {
          after.set(device.deviceId, null)
          if (outcome.type === 'unregistered') await devices.remove(device)
          else observer.dead('rejected')
        }
      }),
    )
    await banners.note(banner, after)
    return retryAtMs === undefined ? undefined : { atMs: retryAtMs, failed: true }
  }

  async function attempt(device: Device, notification: Notification): Promise<Tried> {
    const provider = providers[device.platform]
    if (!provider) return { outcome: { type: 'rejected', reason: `${device.platform} is not set up` }, tried: false }
    const tried = await lanes.through(`${device.platform} ${provider.laneOf(device.token)}`, () =>
      provider.send(device.token, notification),
    )
    if (tried.tried) observer.sent(device.platform, tried.outcome.type)
    return tried
  }

  const restore = (banner: ClaimedBanner, to: readonly Device[], before: ReadonlyMap<string, Shown>): Promise<void> =>
    banners.note(banner, new Map(to.map(({ deviceId }) => [deviceId, before.get(deviceId) ?? null])))

  async function isWithinBudget(userId: UserId): Promise<boolean> {
    return (await banners.spend(userId, windowOf(clock.now()), budgetWindowMs)) <= budgetMax
  }

  const nextWindowMs = (): number => (windowOf(clock.now()) + 1) * budgetWindowMs

  const isOver = (atMs: number): boolean => clock.now() - atMs > expiryMs

  /** Half of it by chance, so that what failed together does not come back together. */
  const backoffMs = (attempts: number): number =>
    Math.min(backoffMinMs * 2 ** attempts, backoffMaxMs) * (0.5 + random() / 2)

  return {
    sent,
    read,
    deleted,
    missed,
    tick,
    /** Resolves when what has begun has ended. */
    ended: async (): Promise<void> => void (await Promise.all(underWay)),
  }
}

const windowOf = (nowMs: number): number => Math.floor(nowMs / budgetWindowMs)

const shows = (shown: Shown | undefined, seq: number): boolean => shown?.accepted === true && shown.seq >= seq

const noted =
  (shown: Shown) =>
  ({ deviceId }: Device): [Device['deviceId'], Shown] => [deviceId, shown]
