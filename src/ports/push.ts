// Push notifications. DynamoDB holds the devices, Redis the queue, and providers reach the push services.

import type { DeviceId, MessageAddress, Seq, UserId } from '../protocol/ids.ts'
import type { MemberAddress } from './delivery.ts'

export type PushPlatform = 'WEBPUSH' | 'FCM' | 'APNS' | 'LOG'

/** An installation of a user's app that can be pushed to. */
export type Device = {
  userId: UserId
  deviceId: DeviceId
  platform: PushPlatform
  /** The address its platform gave it. */
  token: string
  registeredAtMs: number
}

export type DeviceAddress = Pick<Device, 'userId' | 'deviceId'>

/**
 * Two rows for each device: its own, by which a user's devices are found, and one by its token, which names the one device that has
 * it. Where the two disagree, the token's row is the truth: an older row does not own a token that has moved to another user.
 */
export interface DeviceStore {
  put(device: Device): Promise<void>
  ofUser(userId: UserId): Promise<Device[]>
  /** Deletes the device IF it still has this token. */
  remove(device: Device): Promise<void>
  /** Makes this device the owner of its token, whichever device owned it before. */
  own(device: Device): Promise<void>
  /** Returns which device owns the token of each of these, in the order asked for; undefined where none does. */
  ownersOf(devices: readonly Pick<Device, 'platform' | 'token'>[]): Promise<(DeviceAddress | undefined)[]>
  /** Deletes the token's row IF it names this device. */
  disown(device: Device): Promise<void>
}

/** A message whose receivers may need a push. */
type PushJob = MessageAddress & { senderId: UserId; atMs: number }
export type TakenJob = { id: string; job: PushJob }

/** A banner that may have to change. `seq` is the newest message it might show, sent `atMs`; it is 0 where messages were only read. */
export type WantedBanner = MemberAddress & { seq: Seq; atMs: number }

/** `version` changes each time the banner is wanted. `attempts` counts the failed ones so far. */
export type ClaimedBanner = WantedBanner & { version: number; attempts: number }

/**
 * What waits to be pushed. There is first one job per message, however many receivers it has. From it come the banners that may have to
 * change, one for each member and conversation: ten messages that wait are one banner.
 */
export interface PushQueue {
  add(job: PushJob): Promise<void>
  /** Takes some jobs. Each is given to one worker, and to another if the first is not done with it within half a minute. */
  take(limit: number): Promise<TakenJob[]>
  done(jobs: readonly TakenJob[]): Promise<void>
  /** Adds banners. One that is wanted already keeps the higher seq, and goes on waiting for its time unless it is `urgent`. */
  want(banners: readonly WantedBanner[], options?: { urgent?: boolean }): Promise<void>
  /** Claims some banners whose time has come. No other worker gets them for `leaseMs`. */
  claim(limit: number, leaseMs: number): Promise<ClaimedBanner[]>
  /** Removes the banner or, with `retryAtMs`, makes it due then. If it was wanted again meanwhile, it is due at once. */
  finish(banner: ClaimedBanner, retryAtMs?: number): Promise<void>
  backlog(): Promise<PushBacklog>
}

/** `oldestDueMs` says for how long the oldest due banner has been due. */
export type PushBacklog = { jobs: number; banners: number; oldestDueMs: number }

/** `accepted` is false while it is not known whether the platform accepted the push. */
export type ShownBanner = { seq: Seq; accepted: boolean }

/** What devices show, as far as Redis remembers it. */
export interface Banners {
  of(member: MemberAddress): Promise<Map<DeviceId, ShownBanner>>
  /** Notes what each device shows; null means that it shows nothing any more. */
  note(member: MemberAddress, shown: ReadonlyMap<DeviceId, ShownBanner | null>): Promise<void>
  any(member: MemberAddress): Promise<boolean>
  forget(member: MemberAddress): Promise<void>
  /** Counts a push to this user, and returns how many that makes in this window of time. */
  spend(userId: UserId, window: number, windowMs: number): Promise<number>
}

/** Tells a device to show a banner in place of the conversation's last one, or to withdraw it. */
export type Notification = MessageAddress & ({ type: 'show'; title: string; body: string } | { type: 'withdraw' })

export type PushOutcome =
  | { type: 'accepted' }
  /** The device does not exist, or no longer does. */
  | { type: 'unregistered' }
  /** The push can be tried again, after `afterMs` if the service says so. `alone`: the failure concerns this device, not the service. */
  | { type: 'retry'; afterMs?: number; reason: string; alone?: true }
  /** The service will never accept this push. */
  | { type: 'rejected'; reason: string }

/** Sends to the devices of one platform. It never throws, and answers within a few seconds. */
export interface PushProvider {
  send(token: string, notification: Notification): Promise<PushOutcome>
  /** Returns why this cannot be a token of the platform, or undefined if it can. */
  tokenProblem(token: string): string | undefined
  /** Returns the name of the service behind this token. Tokens of one service fail together. */
  laneOf(token: string): string
  close(): void
}

/** Counts pushes, for the metrics. */
export type PushObserver = {
  queued(outcome: 'added' | 'failed'): void
  sent(platform: PushPlatform, outcome: PushOutcome['type']): void
  /** A push was given up. */
  dead(reason: 'expired' | 'rejected'): void
  failed(error: unknown): void
}

/** `publicKey` is the key that browsers subscribe with. */
export type Push = {
  queue: PushQueue
  banners: Banners
  providers: Partial<Record<PushPlatform, PushProvider>>
  publicKey?: string
}
