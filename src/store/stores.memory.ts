import type { Stores } from '../ports/ports.ts'
import { createBlocksMemory } from './blocks.memory.ts'
import { createBoundariesMemory } from './boundaries.memory.ts'
import { createClaimsMemory } from './claims.memory.ts'
import { createConversationsMemory } from './conversations.memory.ts'
import { createDeparturesMemory } from './departures.memory.ts'
import { createDevicesMemory } from './devices.memory.ts'
import { createMembershipsMemory } from './memberships.memory.ts'
import { createMessagesMemory } from './messages.memory.ts'
import { createPendingMemory } from './pending.memory.ts'
import { createProfilesMemory } from './profiles.memory.ts'
import { createUploadsMemory } from './uploads.memory.ts'

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
})
