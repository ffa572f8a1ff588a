// Everything the domain needs from the outside; the parts are in the files beside this one. Implementations are in
// src/store, one folder per backing, with the same file names: dynamo/messages.ts, embedded/messages.ts. All of them keep these rules:
// - A call that fails throws ChatError('UNAVAILABLE'). It may or may not have taken effect; every caller copes with both.
// - Reads are consistent: they see every write that was answered before the read began.
// - Writes touch a single item, under a condition where one is named (P8).

import type { Clock } from './clock.ts'
import type { ConversationStore, MembershipStore } from './conversations.ts'
import type { BoundaryStore, PendingIndex } from './delivery.ts'
import type { DevicePositions } from './device-positions.ts'
import type { Events } from './events.ts'
import type { FeedCounters, FeedStore } from './feed.ts'
import type { Leases } from './leases.ts'
import type { Claims, MessageLog } from './log.ts'
import type { Media, Results, Uploads } from './media.ts'
import type { BlockStore, DepartureStore, ProfileStore } from './people.ts'
import type { PreSend } from './pre-send.ts'
import type { DeviceStore, Push } from './push.ts'
import type { Quotas } from './quotas.ts'
import type { ReportStore } from './reports.ts'
import type { RestrictionStore } from './restrictions.ts'
import type {
  Activity,
  BlockCache,
  BoundaryCache,
  GroupVersions,
  IndexStamps,
  Sequencer,
  SessionLeases,
  Sessions,
  TickStamps,
} from './soft-state.ts'
import type { TaskStore, Timers } from './tasks.ts'
import type { WebhookFailures, WebhookPost, WebhookProgress, WebhookStore } from './webhooks.ts'

export interface Stores {
  messages: MessageLog
  claims: Claims
  pending: PendingIndex
  boundaries: BoundaryStore
  conversations: ConversationStore
  memberships: MembershipStore
  profiles: ProfileStore
  blocks: BlockStore
  departures: DepartureStore
  uploads: Uploads
  devices: DeviceStore
  devicePositions: DevicePositions
  feed: FeedStore
  restrictions: RestrictionStore
  reports: ReportStore
  leases: Leases
  tasks: TaskStore
  timers: Timers
  webhooks: WebhookStore
  webhookProgress: WebhookProgress
  webhookFailures: WebhookFailures
}

export interface SoftState {
  sequencer: Sequencer
  sessions: Sessions
  sessionLeases: SessionLeases
  boundaryCache: BoundaryCache
  versions: GroupVersions
  indexStamps: IndexStamps
  tickStamps: TickStamps
  activity: Activity
  blockCache: BlockCache
  events: Events
  feedCounters: FeedCounters
}

/**
 * Without `media` there are no attachments, without `results` no exports, without `push` absent users get no notifications, without `quotas` nothing is limited, without
 * `preSend` nobody is asked before a message is stored, without `webhookPost` there are no webhooks.
 */
export type Ports = Stores &
  SoftState & {
    clock: Clock
    media?: Media
    results?: Results
    push?: Push
    quotas?: Quotas
    preSend?: PreSend
    webhookPost?: WebhookPost
  }
