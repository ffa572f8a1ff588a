import type { KeyValue } from '../../engine/key-value/key-value.ts'
import type { Stores } from '../../ports/ports.ts'
import { createBlocksEmbedded } from './blocks.ts'
import { createBoundariesEmbedded } from './boundaries.ts'
import { type ClaimOptions, createClaimsEmbedded } from './claims.ts'
import { createConversationsEmbedded } from './conversations.ts'
import { createDeparturesEmbedded } from './departures.ts'
import { createDevicePositionsEmbedded } from './device-positions.ts'
import { createDevicesEmbedded } from './devices.ts'
import { createFeedEmbedded } from './feed.ts'
import { createLeasesEmbedded } from './leases.ts'
import { createMembershipsEmbedded } from './memberships.ts'
import { createMessagesEmbedded } from './messages.ts'
import { createPendingEmbedded } from './pending.ts'
import { createProfilesEmbedded } from './profiles.ts'
import { createReportsEmbedded } from './reports.ts'
import { createRestrictionsEmbedded } from './restrictions.ts'
import { createTasksEmbedded, createTimersEmbedded } from './tasks.ts'
import { createUploadsEmbedded } from './uploads.ts'
import { createWebhookFailuresEmbedded, createWebhookProgressEmbedded, createWebhooksEmbedded } from './webhooks.ts'

export const createStoresEmbedded = (engine: KeyValue, claims?: ClaimOptions): Stores => ({
  messages: createMessagesEmbedded(engine),
  claims: createClaimsEmbedded(engine, claims),
  pending: createPendingEmbedded(engine),
  boundaries: createBoundariesEmbedded(engine),
  conversations: createConversationsEmbedded(engine),
  memberships: createMembershipsEmbedded(engine),
  profiles: createProfilesEmbedded(engine),
  blocks: createBlocksEmbedded(engine),
  departures: createDeparturesEmbedded(engine),
  uploads: createUploadsEmbedded(engine),
  devices: createDevicesEmbedded(engine),
  devicePositions: createDevicePositionsEmbedded(engine),
  feed: createFeedEmbedded(engine),
  leases: createLeasesEmbedded(engine),
  tasks: createTasksEmbedded(engine),
  timers: createTimersEmbedded(engine),
  restrictions: createRestrictionsEmbedded(engine),
  reports: createReportsEmbedded(engine),
  webhooks: createWebhooksEmbedded(engine),
  webhookProgress: createWebhookProgressEmbedded(engine),
  webhookFailures: createWebhookFailuresEmbedded(engine),
})
