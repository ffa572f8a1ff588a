import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createLogger } from '../../../src/observability/logger.ts'
import { systemClock } from '../../../src/wiring/system-clock.ts'
import { type DynamoEcho, startDynamoEcho } from '../../kit/services/dynamodb-echo.ts'
import { sharedService } from '../../kit/shared-services.ts'
import { startWorld, type World } from '../../kit/world.ts'

// A node is ready if it can write, not only if it is answered.

let world: World
let dynamodb: DynamoEcho
const lines: Record<string, unknown>[] = []

beforeAll(async () => {
  dynamodb = await startDynamoEcho(await sharedService('dynalite'))
  world = await startWorld({ nodes: 0, dynamodbEndpoint: dynamodb.url })
  // The second node looks by itself, every tenth of a second: nobody asks it anything.
  const logger = createLogger('info', { write: (line: string) => void lines.push(JSON.parse(line)) })
  await world.startNode({ logger })
  await world.startNode({ proveWritesMs: 100 })
})
afterEach(async () => {
  dynamodb.pass()
  await world.redis.raw.config('SET', 'maxmemory', '0')
  await world.redis.raw.config('SET', 'min-replicas-to-write', '0')
  await world.redis.raw.replicaof('NO', 'ONE')
  await expect.poll(async () => (await readiness()).status, { timeout: 30_000 }).toBe('ready')
})
afterAll(async () => {
  await world.stop()
  await dynamodb.stop()
})

const readiness = async (node = 0) =>
  (await (await fetch(`${world.url(node)}/readyz`)).json()) as { status: string; reasons?: Record<string, string> }

const metric = async (name: string, node = 0): Promise<string | undefined> =>
  (await (await fetch(`${world.url(node)}/metrics`)).text())
    .split('\n')
    .find((line) => line.startsWith(`${name} `))
    ?.slice(name.length + 1)

const harms: [name: string, reason: string, harm: () => Promise<unknown>][] = [
  ['is full and forgets nothing', 'full', () => world.redis.raw.config('SET', 'maxmemory', '1')],
  ['wants replicas that are away', 'read_only', () => world.redis.raw.config('SET', 'min-replicas-to-write', '1')],
  ['has become a replica', 'read_only', () => world.redis.raw.replicaof('127.0.0.1', '1')],
]

it('a node whose clock is not that of Redis says so, until it is', async () => {
  let aheadMs = -10_000
  const said: Record<string, unknown>[] = []
  const logger = createLogger('info', { write: (line: string) => void said.push(JSON.parse(line)) })
  await world.startNode({ logger, clock: { ...systemClock, now: () => Date.now() + aheadMs } })
  const node = world.nodes.length - 1
  const offset = async () => Number(await metric('parley_clock_offset_seconds', node))
  expect(await offset()).toBeLessThan(-3)
  expect(said).toContainEqual(expect.objectContaining({ level: 40, msg: 'the clock of this node is off' }))
  expect(Number(await metric('parley_clock_offset_seconds'))).toBeGreaterThan(-3)
  aheadMs = 0
  await readiness(node)
  expect(await offset()).toBeGreaterThan(-3)
  expect(said).toContainEqual(expect.objectContaining({ msg: 'the clock of this node is right again' }))
})

describe('Redis answers, but', () => {
  it.each(harms)('%s: the node is not ready, and says %s', async (_what, reason, harm) => {
    await harm()
    await expect
      .poll(() => readiness(), { timeout: 20_000 })
      .toMatchObject({
        status: 'unavailable',
        redis: false,
        dynamodb: true,
        reasons: { redis: reason },
      })
    expect(await metric('parley_ready{check="redis"}')).toBe('0')
    expect(lines).toContainEqual(expect.objectContaining({ msg: 'not ready', check: 'redis', reason }))
    expect(lines).toContainEqual(
      expect.objectContaining({ msg: 'a call to Redis failed', operation: 'deployment.lease', reason }),
    )
    expect(
      Number(await metric(`parley_redis_errors_total{operation="deployment.lease",reason="${reason}"}`)),
    ).toBeGreaterThan(0)
  })
})

describe('DynamoDB answers reads, but', () => {
  it.each([
    ['denies writes', 'AccessDeniedException', 'denied'],
    ['throttles writes', 'ProvisionedThroughputExceededException', 'throttled'],
    ['has lost a table', 'ResourceNotFoundException', 'missing'],
  ])('%s: the node is not ready', async (_what, type, reason) => {
    dynamodb.refuses(type, ['PutItem', 'UpdateItem'])
    await expect
      .poll(() => readiness(), { timeout: 20_000 })
      .toMatchObject({
        status: 'unavailable',
        redis: true,
        dynamodb: false,
        reasons: { dynamodb: reason },
      })
    expect(lines).toContainEqual(
      expect.objectContaining({ msg: 'a call to DynamoDB failed', operation: 'PutItem', table: 'users', reason }),
    )
    const errors = `parley_dynamodb_errors_total{operation="PutItem",table="users",reason="${reason}"}`
    expect(Number(await metric(errors))).toBeGreaterThan(0)
  })
})

it('a node that nobody asks notices by itself that DynamoDB is away, and that it is back', async () => {
  await expect.poll(() => metric('parley_ready{check="dynamodb"}', 1)).toBe('1')
  dynamodb.breaks()
  await expect.poll(() => metric('parley_ready{check="dynamodb"}', 1), { timeout: 30_000 }).toBe('0')
  dynamodb.pass()
  await expect.poll(() => metric('parley_ready{check="dynamodb"}', 1), { timeout: 30_000 }).toBe('1')
})

it('many who ask at once share one write', async () => {
  await world.nodes[1]?.stop()
  const writes = () => dynamodb.asked.filter((operation) => operation === 'PutItem').length
  const before = writes()
  await Promise.all(Array.from({ length: 50 }, () => readiness()))
  expect(writes() - before).toBeLessThanOrEqual(1)
})
