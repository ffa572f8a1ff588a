import type { MemberAddress } from '../../ports/delivery.ts'
import type { Message } from '../../ports/log.ts'
import type { Ports } from '../../ports/ports.ts'
import type {
  Banners,
  ClaimedBanner,
  Device,
  Notification,
  PushObserver,
  PushQueue,
  ShownBanner,
} from '../../ports/push.ts'
import type { ConversationId, Seq, UserId } from '../../protocol/ids.ts'
import type { Access } from '../conversations/access.ts'
import type { Devices } from './devices.ts'
import { createPushExpand } from './push-expand.ts'
import { type Attempt, createPushLanes } from './push-lanes.ts'
import type { PushRules } from './push-rules.ts'

// Notifies absent users. A send leaves a job in the queue and goes on. A worker on some node takes it and wants a banner for every absent member.
// A banner belongs to one user and one conversation, so that messages which come while it waits join it.
//
// Looking at a banner means to find what the user's devices should show of this conversation now: the newest message that the user has not
// read, or nothing. Then each device that shows something else is notified. So a late push shows the newest text, and a retry goes only to
// the devices that missed it. A banner that was read elsewhere, or whose message was deleted, is withdrawn by the same look.
//
// A device is noted before the boundary is read and the push is sent. If the user reads the message after that, the note is seen and the
// banner is wanted again; if the user read it before, the look sees the boundary.

const jobsAtATime = 50
const bannersAtATime = 64
const askedAtATime = 100
const underWayMax = 256
/** This is longer than a look can take. */
const leaseMs = 60_000
/** A notification is of no use after this time. */
const expiryMs = 3_600_000
const backoffMinMs = 1000
const backoffMaxMs = 60_000
const budgetMax = 20
const budgetWindowMs = 60_000

/** The rest of the domain calls this. Each function returns at once and works in the background. */
export type Pushes = {
  sent(message: Message): void
  read(member: MemberAddress): void
  /** A message was deleted that these members' devices may show. */
  deleted(members: readonly MemberAddress[]): void
  /** A stream ended, and these messages were sent to it and never acked. */
  missed(userId: UserId, upTo: readonly [ConversationId, Seq][]): void
}

export const noPushes: Pushes = {
  sent: () => undefined,
  read: () => undefined,
  deleted: () => undefined,
  missed: () => undefined,
}

/** The banner is looked at again at this time. `failed` says that the reason is a failure. */
type Again = { atMs: number; failed: boolean }

type Needs = Pick<Ports, 'boundaries' | 'sessions' | 'clock'> & {
  queue: PushQueue
  banners: Banners
  providers: NonNullable<Ports['push']>['providers']
  access: Access
  devices: Devices
  rules: PushRules
  /** Whether new banners may be shown on the device. Those that it shows can be withdrawn all the same. */
  mayNotify: (device: Device) => boolean
  random: () => number
  observer: PushObserver
}

export function createPush(needs: Needs) {
  const { queue, banners, providers, boundaries, clock, devices, rules, mayNotify, random, observer } = needs
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

  /** Wants the banners again that may have to be withdrawn. */
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

  /** Takes some work, if there is any. It resolves when the work has begun, and `finished` when it has ended. */
  async function tick(): Promise<{ found: number; finished: Promise<void> }> {
    const jobs = await queue.take(jobsAtATime)
    const old = jobs.filter(({ job }) => isOver(job.atMs))
    for (const _ of old) observer.dead('expired')
    await queue.done([...old, ...(await expand(jobs.filter((taken) => !old.includes(taken))))])
    const room = Math.min(underWayMax - underWay.size, bannersAtATime)
    const claimed = room > 0 ? await queue.claim(room, leaseMs) : []
    const looks = claimed.sort((one, other) => other.atMs - one.atMs).map(begin)
    return { found: jobs.length + claimed.length, finished: Promise.all(looks).then(() => undefined) }
  }

  function begin(banner: ClaimedBanner): Promise<void> {
    const look = lookAndFinish(banner).finally(() => underWay.delete(look))
    underWay.add(look)
    return look
  }

  /** Looks at a banner and finishes it. If this fails, the lease runs out and another worker claims the banner. */
  async function lookAndFinish(banner: ClaimedBanner): Promise<void> {
    try {
      const again = await look(banner).catch((error): Again => {
        observer.failed(error)
        return { atMs: clock.now() + backoffMs(banner.attempts), failed: true }
      })
      const attempts = again ? banner.attempts + (again.failed ? 1 : 0) : 0
      await queue.finish({ ...banner, attempts }, again?.atMs)
    } catch (error) {
      observer.failed(error)
    }
  }

  /** Brings the user's devices up to date. Returns when to look again, if something is left to do. */
  async function look(banner: ClaimedBanner): Promise<Again | undefined> {
    const own = await devices.of(banner.userId)
    if (own.length === 0) return undefined
    const [shown, audience] = await Promise.all([banners.of(banner), rules.audience(banner)])
    const isFresh = !isOver(banner.atMs)
    if (!isFresh) observer.dead('expired')
    const isBehind = (device: Device) => mayNotify(device) && !shows(shown.get(device.deviceId), banner.seq)
    const behind = audience && isFresh ? own.filter(isBehind) : []
    if (behind.length > 0) await banners.note(banner, new Map(behind.map(noted({ seq: banner.seq, accepted: false }))))

    const [reached] = await boundaries.getMany([banner])
    const lastReadSeq = reached?.lastReadSeq ?? 0
    const message = audience && behind.length > 0 ? await rules.newest(audience, banner.seq, lastReadSeq) : undefined
    // If the wanted message is not to be shown, this is an older one, and some devices may show it already.
    const missing = message ? behind.filter(({ deviceId }) => !shows(shown.get(deviceId), message.seq)) : []
    if (audience && message && missing.length > 0) {
      const mayGo = banner.attempts > 0 || (await isWithinBudget(banner.userId))
      await restore(banner, mayGo ? behind.filter((device) => !missing.includes(device)) : behind, shown)
      if (mayGo) return notify(banner, missing, shown, await rules.compose(message, audience))
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
    return notify(banner, outdated, shown, { type: 'withdraw', conversationId, seq: Math.max(lastReadSeq, ...gone) })
  }

  /** Sends the notification to each of these devices, and notes what they then show. */
  async function notify(
    banner: ClaimedBanner,
    to: readonly Device[],
    before: ReadonlyMap<string, ShownBanner>,
    notification: Notification,
  ): Promise<Again | undefined> {
    const shown = { seq: notification.seq, accepted: true }
    const after = new Map<Device['deviceId'], ShownBanner | null>()
    let retryAtMs: number | undefined
    await Promise.all(
      to.map(async (device) => {
        const { outcome, tried } = await attempt(device, notification)
        const wasThere = before.get(device.deviceId) ?? null
        if (outcome.type === 'accepted') after.set(device.deviceId, notification.type === 'show' ? shown : null)
        else if (outcome.type === 'retry') {
          // A push that was tried and failed may still have arrived.
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

  async function attempt(device: Device, notification: Notification): Promise<Attempt> {
    const provider = providers[device.platform]
    if (!provider) return { outcome: { type: 'rejected', reason: `${device.platform} is not set up` }, tried: false }
    const tried = await lanes.through(`${device.platform} ${provider.laneOf(device.token)}`, () =>
      provider.send(device.token, notification),
    )
    if (tried.tried) observer.sent(device.platform, tried.outcome.type)
    return tried
  }

  const restore = (
    banner: ClaimedBanner,
    to: readonly Device[],
    before: ReadonlyMap<string, ShownBanner>,
  ): Promise<void> => banners.note(banner, new Map(to.map(({ deviceId }) => [deviceId, before.get(deviceId) ?? null])))

  async function isWithinBudget(userId: UserId): Promise<boolean> {
    return (await banners.spend(userId, windowOf(clock.now()), budgetWindowMs)) <= budgetMax
  }

  const nextWindowMs = (): number => (windowOf(clock.now()) + 1) * budgetWindowMs

  const isOver = (atMs: number): boolean => clock.now() - atMs > expiryMs

  /** Half of the time is random, so that pushes which failed together do not come back together. */
  const backoffMs = (attempts: number): number =>
    Math.min(backoffMinMs * 2 ** attempts, backoffMaxMs) * (0.5 + random() / 2)

  return {
    sent,
    read,
    deleted,
    missed,
    tick,
    /** Resolves when all work that has begun has ended. */
    ended: async (): Promise<void> => void (await Promise.all(underWay)),
  }
}

const windowOf = (nowMs: number): number => Math.floor(nowMs / budgetWindowMs)

const shows = (shown: ShownBanner | undefined, seq: number): boolean => shown?.accepted === true && shown.seq >= seq

const noted =
  (shown: ShownBanner) =>
  ({ deviceId }: Device): [Device['deviceId'], ShownBanner] => [deviceId, shown]
