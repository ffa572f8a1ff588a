import type { Stores } from '../ports/ports.ts'
import { createBlocksDynamo } from './blocks.dynamo.ts'
import { createBoundariesDynamo } from './boundaries.dynamo.ts'
import { createClaimsDynamo } from './claims.dynamo.ts'
import { createConversationsDynamo } from './conversations.dynamo.ts'
import { createDeparturesDynamo } from './departures.dynamo.ts'
import { createDevicesDynamo } from './devices.dynamo.ts'
import { createMembershipsDynamo } from './memberships.dynamo.ts'
import { createMessagesDynamo } from './messages.dynamo.ts'
import { createPendingDynamo } from './pending.dynamo.ts'
import { createProfilesDynamo } from './profiles.dynamo.ts'
import type { Dynamo } from './tables.ts'
import { createUploadsDynamo } from './uploads.dynamo.ts'

export const createStoresDynamo = (dynamo: Dynamo): Stores => ({
  messages: createMessagesDynamo(dynamo),
  claims: createClaimsDynamo(dynamo),
  pending: createPendingDynamo(dynamo),
  boundaries: createBoundariesDynamo(dynamo),
  conversations: createConversationsDynamo(dynamo),
  memberships: createMembershipsDynamo(dynamo),
  profiles: createProfilesDynamo(dynamo),
  blocks: createBlocksDynamo(dynamo),
  departures: createDeparturesDynamo(dynamo),
  uploads: createUploadsDynamo(dynamo),
  devices: createDevicesDynamo(dynamo),
})
