// Webhooks: addresses of backends to which the events of the feed are posted, how far each of them is, and what was given up. The feed is worked off
// in shares: each has some of its partitions, of all webhooks. Who holds a share is decided by a lease (leases.ts).

import type { ConversationId, Seq } from '../protocol/ids.ts'
import type { FeedPartition, FeedPosition } from './feed.ts'

export type Webhook = {
  id: string
  url: string
  /** Absent: all. */
  eventTypes?: readonly string[]
  enabled: boolean
  disabledReason?: string
  /** `whsec_` and base64, as Standard Webhooks has it. */
  secret: string
  /** Signs beside it until then. */
  previous?: { secret: string; untilMs: number }
  /** Where each share begins that has no progress of this run yet. Each time that everything is delivered again from a position is a run. */
  start: readonly FeedPosition[]
  run: number
  /** What was given up until then, and announced after these positions, is delivered again. */
  again?: { run: number; untilMs: number; after?: readonly FeedPosition[] }
  /** When it was last switched on or got another address: then nothing waits for its next attempt any more. */
  resumedAtMs: number
  createdAtMs: number
  /** It rises with each change. */
  version: number
}

/**
 * Where an event is: as one of those that the entry of a log gives, or as a row of the feed. No text of anybody is kept of what is
 * delivered.
 */
export type EventPlace = { partition: FeedPartition; row: FeedPosition } & (
  | { conversationId: ConversationId; seq: Seq; nth: number }
  /** `about`: it has no seq, and yet it is posted one at a time with what this conversation has. */
  | { conversationId?: never; about?: ConversationId }
)

/**
 * What is under way, one event after the other. Of a conversation: its events from this place on, up to that seq. Of what has no order, or is
 * delivered again (`failureId`): this event alone.
 */
export type StoredLane = {
  place: EventPlace
  upTo?: Seq
  failureId?: string
  /** Since when the event at its head could have been delivered. */
  sinceMs: number
  attempts: number
  /** Since when no event of this lane was taken. */
  blockedSinceMs?: number
  nextAtMs: number
  /** The endpoint has asked not to be given it before then. */
  notBeforeMs?: number
  lastStatus?: number
  lastError?: string
}

/** How far one share of one webhook is. What is before the positions was delivered, was given up, or is in a lane. */
export type ShareProgress = {
  run: number
  againRun: number
  /** The last failure that was looked at for `againRun`; absent where all were. */
  againAfter?: string
  positions: readonly FeedPosition[]
  lanes: readonly StoredLane[]
  /** That of the webhook, when this was written. */
  resumedAtMs?: number
  lastSuccessMs?: number
  lastFailureMs?: number
  failingSinceMs?: number
  /** The endpoint has asked not to be called before then. */
  pausedUntilMs?: number
}

/** An event that was given up. Failures are sorted by their id, as they were given up. */
export type DeliveryFailure = {
  id: string
  eventId: string
  type: string
  occurredAtMs: number
  place: EventPlace
  attempts: number
  lastStatus?: number
  lastError?: string
  givenUpAtMs: number
}

export interface WebhookStore {
  list(): Promise<readonly Webhook[]>
  get(id: string): Promise<Webhook | undefined>
  /** Puts it if there is none of this id. Returns the one that stands. */
  create(webhook: Webhook): Promise<Webhook>
  /** Puts it IF the version before it stands. */
  replace(webhook: Webhook): Promise<boolean>
  remove(id: string): Promise<void>
}

export interface WebhookProgress {
  /** Returns that of each share that has any. */
  of(webhookId: string): Promise<ReadonlyMap<number, ShareProgress>>
  /** Puts it, unless somebody has written there under a later lease. */
  save(webhookId: string, share: number, leaseVersion: number, progress: ShareProgress): Promise<boolean>
  remove(webhookId: string, share: number): Promise<void>
}

export interface WebhookFailures {
  put(webhookId: string, failure: DeliveryFailure): Promise<void>
  /** Returns the first `limit` after that one, or all of the first ones, oldest first. */
  above(webhookId: string, after: string, limit: number): Promise<readonly DeliveryFailure[]>
  /** Returns the last `limit` before that one, or the very last ones, newest first. */
  below(webhookId: string, before: string | undefined, limit: number): Promise<readonly DeliveryFailure[]>
  remove(webhookId: string, id: string): Promise<void>
}

export type DeliveryOutcome =
  | { ok: true; tookMs: number }
  | { ok: false; tookMs: number; status?: number; error: string; retryAfterMs?: number }

/** Talks to the endpoints. */
export interface WebhookPost {
  /** Posts one event, signed with all secrets. It never throws: what goes wrong is an outcome. */
  post(request: { url: string; secrets: readonly string[]; id: string; body: string }): Promise<DeliveryOutcome>
  /** Returns why events may not be posted to this address. */
  problemOf(url: string): Promise<string | undefined>
  newSecret(): string
}

/** Counts for the metrics. */
export interface WebhookObserver {
  delivered(webhookId: string, tookMs: number): void
  failed(webhookId: string, tookMs: number, error: string): void
  gaveUp(webhookId: string): void
  disabled(webhookId: string, reason: string): void
  /** How far behind this node is with its share, and how many conversations wait for their next attempt. */
  state(webhookId: string, share: number, state: { lagMs: number; waiting: number } | undefined): void
}
