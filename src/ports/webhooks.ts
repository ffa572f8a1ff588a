// Webhooks: addresses of backends to which the events of the feed are posted, how far each of them is, and what was given up. The feed is worked off
// in shares: each share is some of its partitions, for all webhooks. A lease decides who holds a share (leases.ts).

import type { ConversationId, Seq } from '../protocol/ids.ts'
import type { FeedPartition, FeedPosition } from './feed.ts'

export type Webhook = {
  id: string
  url: string
  /** If it is absent, all types are posted. */
  eventTypes?: readonly string[]
  enabled: boolean
  disabledReason?: string
  /** `whsec_` and base64, as Standard Webhooks has it. */
  secret: string
  /** The secret before it also signs, until then. */
  previous?: { secret: string; untilMs: number }
  /** Where a share begins that has no progress of this run yet. A run begins with the webhook, and when all is delivered again from a position. */
  start: readonly FeedPosition[]
  run: number
  /** Events that were given up until then, and were announced after these positions, are delivered again. */
  again?: { run: number; untilMs: number; after?: readonly FeedPosition[] }
  /** When the webhook was last switched on or got another address. From then on nothing waits for its next attempt. */
  resumedAtMs: number
  createdAtMs: number
  /** It rises with each change. */
  version: number
}

/**
 * Where an event is to be found: in what the entry of a log gives, or as a row of the feed. Nothing that is kept about deliveries has a text that
 * somebody wrote.
 */
export type EventPlace = { partition: FeedPartition; row: FeedPosition } & (
  | { conversationId: ConversationId; seq: Seq; nth: number }
  /** An event without a seq. If it is `about` a conversation, it and the events of that are posted one at a time. */
  | { conversationId?: never; about?: ConversationId }
)

/**
 * What is under way, one event after the other: the events of a conversation from this place up to `upTo`; or a single event, which has no order or
 * is delivered again (`failureId`).
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
  /** The endpoint has asked not to be given the event before then. */
  notBeforeMs?: number
  lastStatus?: number
  lastError?: string
}

/** How far one share of one webhook is. Everything up to the positions was delivered, was given up, or is in a lane. */
export type ShareProgress = {
  run: number
  againRun: number
  /** The last failure that was looked at for `againRun`. It is absent once all were. */
  againAfter?: string
  positions: readonly FeedPosition[]
  lanes: readonly StoredLane[]
  /** What the webhook had as its `resumedAtMs` when this was written. */
  resumedAtMs?: number
  lastSuccessMs?: number
  lastFailureMs?: number
  failingSinceMs?: number
  /** The endpoint has asked not to be called before then. */
  pausedUntilMs?: number
}

/** An event that was given up. Failures are sorted by their ids, in the order in which they were given up. */
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
  /** Puts the webhook IF there is none of this id. Returns the one that stands. */
  create(webhook: Webhook): Promise<Webhook>
  /** Puts the webhook IF the version before it stands. */
  replace(webhook: Webhook): Promise<boolean>
  remove(id: string): Promise<void>
}

export interface WebhookProgress {
  /** Returns the progress of each share that has any. */
  of(webhookId: string): Promise<ReadonlyMap<number, ShareProgress>>
  /** Puts the progress, unless somebody has written there under a later lease. */
  save(webhookId: string, share: number, leaseVersion: number, progress: ShareProgress): Promise<boolean>
  remove(webhookId: string, share: number): Promise<void>
}

export interface WebhookFailures {
  put(webhookId: string, failure: DeliveryFailure): Promise<void>
  /** Returns the first `limit` after this id, oldest first. */
  above(webhookId: string, after: string, limit: number): Promise<readonly DeliveryFailure[]>
  /** Returns the last `limit` before this id, or the very last ones without it, newest first. */
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
