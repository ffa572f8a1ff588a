import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe } from 'vitest'
import { createQuickDynamo } from '../../bench/quick-dynamodb/server.ts'
import { openKeyValueLmdb } from '../../src/engine/key-value/key-value.lmdb.ts'
import { createKeyValueMemory } from '../../src/engine/key-value/key-value.memory.ts'
import type { KeyValue } from '../../src/engine/key-value/key-value.ts'
import type { Claims } from '../../src/ports/log.ts'
import type { Stores } from '../../src/ports/ports.ts'
import { createStoresDynamo } from '../../src/store/dynamo/stores.ts'
import { createTables } from '../../src/store/dynamo/table-setup.ts'
import { createStoresEmbedded } from '../../src/store/embedded/stores.ts'
import { systemClock } from '../../src/wiring/system-clock.ts'
import { dynamoBackends } from '../kit/services/dynamo-backends.ts'
import { connectDynamo } from '../kit/services/dynamodb.ts'
import { sharedService } from '../kit/shared-services.ts'
import { blocksContract } from './contract/blocks.ts'
import { boundariesContract } from './contract/boundaries.ts'
import { claimFormsContract, claimsContract } from './contract/claims.ts'
import { departuresContract } from './contract/departures.ts'
import { devicePositionsContract } from './contract/device-positions.ts'
import { devicesContract } from './contract/devices.ts'
import { conversationsContract, membershipsContract, profilesContract } from './contract/directory.ts'
import { erasureContract } from './contract/erasure.ts'
import { feedContract } from './contract/feed.ts'
import { leasesContract } from './contract/leases.ts'
import { messagesContract } from './contract/messages.ts'
import { pendingContract } from './contract/pending.ts'
import { reportsContract } from './contract/reports.ts'
import { restrictionsContract } from './contract/restrictions.ts'
import { tasksContract, timersContract } from './contract/tasks.ts'
import { uploadsContract } from './contract/uploads.ts'
import { webhooksContract } from './contract/webhooks.ts'

const shortRows = { form: 'short', ttlDays: 0 } as const

type Opened = { stores: Stores; shortClaims: Claims; close(): unknown }

const openDynamo = async (endpoint: string, wire: 'lean' | 'sdk' = 'lean'): Promise<Opened> => {
  const dynamo = connectDynamo(endpoint, { wire })
  await createTables(dynamo)
  const { claims: shortClaims } = createStoresDynamo(dynamo, shortRows)
  return { stores: createStoresDynamo(dynamo), shortClaims, close: dynamo.client.close }
}

/** The backend that the benchmark uses must keep the contract, too. */
async function openQuick(): Promise<Opened> {
  const server = createQuickDynamo().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { close, ...opened } = await openDynamo(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return { ...opened, close: () => Promise.all([close(), server.close()]) }
}

const embedded = (engine: KeyValue) => ({
  stores: createStoresEmbedded(engine),
  shortClaims: createStoresEmbedded(engine, { rows: shortRows, clock: systemClock }).claims,
})

async function openLmdb(): Promise<Opened> {
  const directory = await mkdtemp(join(tmpdir(), 'parley-stores-'))
  const engine = await openKeyValueLmdb({ directory })
  return {
    ...embedded(engine),
    close: () => engine.close().then(() => rm(directory, { recursive: true })),
  }
}

const backends: { name: string; open: () => Promise<Opened> }[] = [
  ...dynamoBackends.map(({ name, endpointOf }) => ({ name, open: async () => openDynamo(await endpointOf()) })),
  { name: 'dynalite, by the SDK', open: async () => openDynamo(await sharedService('dynalite'), 'sdk') },
  { name: 'the DynamoDB of the benchmark', open: openQuick },
  { name: 'LMDB', open: openLmdb },
  {
    name: 'memory',
    open: async () => ({ ...embedded(createKeyValueMemory()), close: () => undefined }),
  },
]

describe.each(backends)('the stores on $name', ({ open }) => {
  let opened: Opened
  beforeAll(async () => {
    opened = await open()
  })
  afterAll(() => opened?.close())

  describe('messages', () => messagesContract(() => opened.stores.messages))
  describe('feed', () => feedContract(() => opened.stores.feed))
  describe('webhooks', () => webhooksContract(() => opened.stores))
  describe('an erasure', () => erasureContract(() => opened.stores))
  describe('a lease', () => leasesContract(() => opened.stores.leases))
  describe('tasks', () => tasksContract(() => opened.stores.tasks))
  describe('timers', () => timersContract(() => opened.stores.timers))
  describe('reports', () => reportsContract(() => opened.stores.reports))
  describe('restrictions', () => restrictionsContract(() => opened.stores.restrictions))
  describe('claims', () => claimsContract(() => opened.stores.claims))
  describe('claims in short rows', () => claimsContract(() => opened.shortClaims))
  describe('claims of both forms', () =>
    claimFormsContract(
      () => opened.stores.claims,
      () => opened.shortClaims,
    ))
  describe('pending', () => pendingContract(() => opened.stores.pending))
  describe('boundaries', () => boundariesContract(() => opened.stores.boundaries))
  describe('conversations', () => conversationsContract(() => opened.stores.conversations))
  describe('memberships', () => membershipsContract(() => opened.stores.memberships))
  describe('profiles', () => profilesContract(() => opened.stores.profiles))
  describe('blocks', () =>
    blocksContract(
      () => opened.stores.blocks,
      () => opened.stores.departures,
    ))
  describe('departures', () => departuresContract(() => opened.stores.departures))
  describe('devices', () => devicesContract(() => opened.stores.devices))
  describe('device positions', () => devicePositionsContract(() => opened.stores.devicePositions))
  describe('uploads', () => uploadsContract(() => opened.stores.uploads))
})
