import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import {
  CreateTableCommand,
  DynamoDBClient,
  GetItemCommand,
  ListTablesCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Embedded, type EmbeddedOptions, startEmbedded } from '../../src/embedded/start-embedded.ts'
import type { RedisLink } from '../../src/engine/redis/client.ts'
import { createDeploymentLease } from '../../src/store/deployment.ts'
import { createRedisStoreLink } from '../../src/store/redis/link.ts'

let dataDir: string
let undo: (() => Promise<unknown> | unknown)[] = []

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'parley-embedded-'))
  undo = [() => rm(dataDir, { recursive: true })]
})

afterEach(async () => {
  vi.unstubAllEnvs()
  for (const each of undo.reverse()) await each()
})

test('what is stored survives a restart', async () => {
  const first = await start({ redis: false })
  const table = { TableName: 'notes', KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' as const }] }
  const attributes = [{ AttributeName: 'id', AttributeType: 'S' as const }]
  await dynamo(first).send(
    new CreateTableCommand({ ...table, AttributeDefinitions: attributes, BillingMode: 'PAY_PER_REQUEST' }),
  )
  await dynamo(first).send(new PutItemCommand({ TableName: 'notes', Item: { id: { S: 'one' }, text: { S: 'hi' } } }))
  await first.stop()

  const second = await start({ redis: false })
  const { Item } = await dynamo(second).send(new GetItemCommand({ TableName: 'notes', Key: { id: { S: 'one' } } }))
  expect(Item?.text).toEqual({ S: 'hi' })
})

test('it says what it runs, and starts only what is asked for', async () => {
  const both = await start()
  expect(both.describe.redis).toMatch(/^redis-server \d/)
  expect(both.describe.dynamodb).toBe(`dynalite, on disk in ${join(dataDir, 'dynamodb')}`)
  await link(both).ping()

  const neither = await start({ redis: false, dynamodb: false })
  expect(neither.redisUrl).toBeUndefined()
  expect(neither.dynamodbEndpoint).toBeUndefined()
})

test('without redis-server one written in JavaScript takes its place', async () => {
  vi.stubEnv('PATH', dataDir)
  const embedded = await start({ dynamodb: false })
  expect(embedded.describe.redis).toBe('js-redis-server, in memory (redis-server is not installed)')
  // It tells which one it is, as far as a node wants to know.
  await createDeploymentLease(link(embedded), 'parley_', { id: 'one', tables: 'parley_' })()
})

test('a second server on the same directory is told so', async () => {
  await start({ redis: false })
  await expect(start({ redis: true })).rejects.toThrow(
    `Another server is already running on ${join(dataDir, 'dynamodb')}, or its files are damaged.`,
  )
})

test('a client that hangs up in the middle of a request does no harm', async () => {
  const embedded = await start({ redis: false })
  const { port } = new URL(embedded.dynamodbEndpoint ?? '')
  const socket = connect(Number(port), '127.0.0.1')
  await once(socket, 'connect')
  socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{')
  socket.resetAndDestroy()
  await once(socket, 'close')
  await expect(dynamo(embedded).send(new ListTablesCommand({}))).resolves.toMatchObject({ TableNames: [] })
})

test('when they end by themselves the server is told', async () => {
  const onLost = vi.fn<(reason: string) => void>()
  const embedded = await start({ dynamodb: false, onLost })
  await link(embedded)
    .commands.call('SHUTDOWN', 'NOW')
    .catch(() => undefined)
  await vi.waitFor(
    () => expect(onLost).toHaveBeenCalledWith('The process that runs the embedded backends has ended.'),
    { timeout: 10_000 },
  )
})

test('a server that is killed takes everything with it', async () => {
  const { server, redisUrl } = await startServer()
  const processes = await descendants(server.pid)
  expect(processes.length).toBeGreaterThanOrEqual(2)
  server.kill('SIGKILL')
  await gone(processes)
  await vi.waitUntil(() => !existsSync(dirname(redisUrl.replace('unix://', ''))), { timeout: 10_000 })
})

test('so does a whole process group that is killed at once', async () => {
  const { server, redisUrl } = await startServer()
  const processes = await descendants(server.pid)
  process.kill(-(server.pid ?? 0), 'SIGKILL')
  await gone(processes)
  await vi.waitUntil(() => !existsSync(dirname(redisUrl.replace('unix://', ''))), { timeout: 10_000 })
})

test('a Ctrl-C, which reaches all of them, lets the server drain first', async () => {
  const { server, lines } = await startServer()
  const processes = await descendants(server.pid)
  const ended = once(server, 'exit')
  process.kill(-(server.pid ?? 0), 'SIGINT')
  expect((await lines.next()).value).toBe('drained: PONG 200')
  expect(await ended).toEqual([0, null])
  await gone(processes)
})

async function start(options: Partial<EmbeddedOptions> = {}): Promise<Embedded> {
  const embedded = await startEmbedded({ dataDir, redis: true, dynamodb: true, ...options })
  undo.push(embedded.stop)
  return embedded
}

function link({ redisUrl = '' }: Embedded): RedisLink {
  // Patient: the machine may be busy, and slowness is not what these tests are about.
  const link = createRedisStoreLink({ url: redisUrl, commandTimeoutMs: 20_000 })
  undo.push(link.close)
  return link
}

function dynamo({ dynamodbEndpoint = '' }: Embedded): DynamoDBClient {
  const client = new DynamoDBClient({
    endpoint: dynamodbEndpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  })
  undo.push(() => client.destroy())
  return client
}

/** A process of its own, leader of its group as one started from a terminal is. */
async function startServer() {
  const script = fileURLToPath(new URL('../kit/nodes/embedded-server.ts', import.meta.url))
  const server: ChildProcess = spawn(process.execPath, ['--import', 'tsx', script, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  undo.push(() => server.kill('SIGKILL'))
  if (!server.stdout) throw new Error('There is nothing to read from.')
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]()
  const first = await lines.next()
  return { server, lines, ...(JSON.parse(String(first.value)) as { redisUrl: string; dynamodbEndpoint: string }) }
}

async function descendants(pid = 0): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid='])
  const all = stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
  const below = (parent: number): number[] =>
    all.filter(([, ppid]) => ppid === parent).flatMap(([child = 0]) => [child, ...below(child)])
  return below(pid)
}

async function gone(pids: readonly number[]): Promise<void> {
  await vi.waitUntil(() => pids.every((pid) => !alive(pid)), { timeout: 10_000, interval: 20 })
}

function alive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
