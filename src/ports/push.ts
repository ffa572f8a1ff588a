// Telling those who are away: devices in DynamoDB, what waits in Redis, and the services.

import type { DeviceId, MessageAddress, Seq, UserId } from '../protocol/ids.ts'
import type { MemberAddress } from './delivery.ts'

export type PushPlatform = 'WEBPUSH' | 'FCM' | 'APNS' | 'LOG'

/** An installation of somebody that can be pushed to. */
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
 * it. Where the two disagree, the token's is the truth: a token that has moved to somebody else is nobody's by an older row.
 */
export interface DeviceStore {
  put(device: Device): Promise<void>
  ofUser(userId: UserId): Promise<Device[]>
  /** Deletes it IF it still has this token. */
  remove(device: Device): Promise<void>
  /** From now on the token is this device's, whosever it was. */
  own(device: Device): Promise<void>
  /** Whose the tokens of these are, in the order asked for; undefined where nobody has it. */
  ownersOf(devices: readonly Pick<Device, 'platform' | 'token'>[]): Promise<(DeviceAddress | undefined)[]>
  /** Deletes the token's row IF it names this device. */
  disown(device: Device): Promise<void>
}

/** A message whose receivers may have to be told by push. */
type PushJob = MessageAddress & { senderId: UserId; atMs: number }
export type TakenJob = { id: string; job: PushJob }

/** A banner to be looked at: `seq` is the newest message it might show, sent `atMs`; 0 where only something was read. */
export type Wanted = MemberAddress & { seq: Seq; atMs: number }

/** `version` changes with every want. `attempts`: failed ones so far. */
export type ClaimedBanner = Wanted & { version: number; attempts: number }

/**
 * What waits to be pushed. First a job per message, however many it is for; then, one for each member and conversation, the
 * banners that may have to change: ten messages that wait are one.
 */
export interface PushQueue {
  add(job: PushJob): Promise<void>
  /** Some jobs, each given to one worker; again to another, if it is not done with it in half a minute. */
  take(limit: number): Promise<TakenJob[]>
  done(jobs: readonly TakenJob[]): Promise<void>
  /** Joins what is wanted already, keeping the higher seq. What waits for its time goes on waiting, unless it is `urgent`. */
  want(banners: readonly Wanted[], options?: { urgent?: boolean }): Promise<void>
  /** Some whose time has come. For `leaseMs` they are nobody else's. */
  claim(limit: number, leaseMs: number): Promise<ClaimedBanner[]>
  /** Done with it; or, with a `retryAtMs`, until then. If it was wanted again meanwhile, it is due at once. */
  settle(banner: ClaimedBanner, retryAtMs?: number): Promise<void>
  backlog(): Promise<PushBacklog>
}

/** `oldestDueMs`: how long the one that is due longest has been. */
export type PushBacklog = { jobs: number; banners: number; oldestDueMs: number }

/** `accepted`: whether the platform took it, or the attempt's outcome is not known yet. */
export type Shown = { seq: Seq; accepted: boolean }

/** What devices show, as far as Redis remembers. */
export interface Banners {
  of(member: MemberAddress): Promise<Map<DeviceId, Shown>>
  /** Null where nothing is shown any more. */
  note(member: MemberAddress, shown: ReadonlyMap<DeviceId, Shown | null>): Promise<void>
  any(member: MemberAddress): Promise<boolean>
  /** Counts a push to this user, and returns how many that makes in this window of time. */
  spend(userId: UserId, window: number, windowMs: number): Promise<number>
}

/** What a device is told: a banner to show in the place of the conversation's last one, or to take it away. */
export type Notification = MessageAddress & ({ type: 'show'; title: string; body: string } | { type: 'withdraw' })

export type PushOutcome =
  | { type: 'accepted' }
  /** The device is gone for good, or never was. */
  | { type: 'unregistered' }
  /** Not now. `afterMs`: not before, as the service says. `alone`: it is about this device, not about the service. */
  | { type: 'retry'; afterMs?: number; reason: string; alone?: true }
  /** It will not be taken, however often it is tried. */
  | { type: 'rejected'; reason: string }

/** A way to devices of one platform. It never throws, and answers within a few seconds. */
export interface PushProvider {
  send(token: string, notification: Notification): Promise<PushOutcome>
  /** Why this cannot be a token of the platform. */
  tokenProblem(token: string): string | undefined
  /** What fails together: the service behind this token. */
  laneOf(token: string): string
  close(): void
}

/** Told for the metrics. */
export type PushObserver = {
  queued(outcome: 'added' | 'failed'): void
  sent(platform: PushPlatform, outcome: PushOutcome['type']): void
  /** What was given up. */
  dead(reason: 'expired' | 'rejected'): void
  failed(error: unknown): void
}

/** `publicKey`: what browsers subscribe with. */
export type Push = {
  queue: PushQueue
  banners: Banners
  providers: Partial<Record<PushPlatform, PushProvider>>
  publicKey?: string
}
