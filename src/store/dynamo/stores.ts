import type { Stores } from '../../ports/ports.ts'
import type { ClaimRows } from '../rows/claim-row.ts'
import type { Dynamo } from '../rows/tables.ts'
import { createBlocksDynamo } from './blocks.ts'
import { createBoundariesDynamo } from './boundaries.ts'
import { createClaimsDynamo } from './claims.ts'
import { createConversationsDynamo } from './conversations.ts'
import { createDeparturesDynamo } from './departures.ts'
import { createDevicePositionsDynamo } from './device-positions.ts'
import { createDevicesDynamo } from './devices.ts'
import { createFeedDynamo } from './feed.ts'
import { createLeasesDynamo } from './leases.ts'
import { createMembershipsDynamo } from './memberships.ts'
import { createMessagesDynamo } from './messages.ts'
import { createPendingDynamo } from './pending.ts'
import { createProfilesDynamo } from './profiles.ts'
import { createReportsDynamo } from './reports.ts'
import { createRestrictionsDynamo } from './restrictions.ts'
import { createTasksDynamo, createTimersDynamo } from './tasks.ts'
import { createUploadsDynamo } from './uploads.ts'
import { createWebhookFailuresDynamo, createWebhookProgressDynamo, createWebhooksDynamo } from './webhooks.ts'

export const createStoresDynamo = (dynamo: Dynamo, claimRows?: ClaimRows): Stores => ({
  messages: createMessagesDynamo(dynamo),
  claims: createClaimsDynamo(dynamo, claimRows),
  pending: createPendingDynamo(dynamo),
  boundaries: createBoundariesDynamo(dynamo),
  conversations: createConversationsDynamo(dynamo),
  memberships: createMembershipsDynamo(dynamo),
  profiles: createProfilesDynamo(dynamo),
  blocks: createBlocksDynamo(dynamo),
  departures: createDeparturesDynamo(dynamo),
  uploads: createUploadsDynamo(dynamo),
  devices: createDevicesDynamo(dynamo),
  devicePositions: createDevicePositionsDynamo(dynamo),
  feed: createFeedDynamo(dynamo),
  leases: createLeasesDynamo(dynamo),
  tasks: createTasksDynamo(dynamo),
  timers: createTimersDynamo(dynamo),
  restrictions: createRestrictionsDynamo(dynamo),
  reports: createReportsDynamo(dynamo),
  webhooks: createWebhooksDynamo(dynamo),
  webhookProgress: createWebhookProgressDynamo(dynamo),
  webhookFailures: createWebhookFailuresDynamo(dynamo),
})
