import type { Stores } from '../../ports/ports.ts'
import { createBlocksMemory } from './blocks.ts'
import { createBoundariesMemory } from './boundaries.ts'
import { createClaimsMemory } from './claims.ts'
import { createConversationsMemory } from './conversations.ts'
import { createDeparturesMemory } from './departures.ts'
import { createDevicePositionsMemory } from './device-positions.ts'
import { createDevicesMemory } from './devices.ts'
import { createMembershipsMemory } from './memberships.ts'
import { createMessagesMemory } from './messages.ts'
import { createPendingMemory } from './pending.ts'
import { createProfilesMemory } from './profiles.ts'
import { createUploadsMemory } from './uploads.ts'

export const createStoresMemory = (): Stores => ({
  messages: createMessagesMemory(),
  claims: createClaimsMemory(),
  pending: createPendingMemory(),
  boundaries: createBoundariesMemory(),
  conversations: createConversationsMemory(),
  memberships: createMembershipsMemory(),
  profiles: createProfilesMemory(),
  blocks: createBlocksMemory(),
  departures: createDeparturesMemory(),
  uploads: createUploadsMemory(),
  devices: createDevicesMemory(),
  devicePositions: createDevicePositionsMemory(),
})
