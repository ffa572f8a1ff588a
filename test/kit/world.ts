import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { vi } from 'vitest'
import { type App, type AppOptions, createApp } from '../../src/app.ts'
import { type Config, readConfig } from '../../src/config/config.ts'
import { directConversationId } from '../../src/domain/conversations/conversation-id.ts'
import type { DynamoCall } from '../../src/engine/dynamodb/client.ts'
import type { UserId } from '../../src/protocol/ids.ts'
import { defaultKeyPrefix } from '../../src/store/redis/keys.ts'
import { createPerson, type Person, testSecret } from './person.ts'
import { type RedisServer, startRedis } from './services/redis.ts'
import { startRedisCluster } from './services/redis-cluster.ts'
import { sharedService } from './shared-services.ts'

export type World = Awaited<ReturnType<typeof startWorld>>
type Node = { url: string; parts: ReturnType<App['parts']>; stop(): Promise<void> }

type WorldOptions = { nodes?: number; dynamodbEndpoint?: string; app?: AppOptions; config?: Partial<Config> }

/** A late call fails as UNAVAILABLE, which has tests of its own. On a busy machine all other tests would meet it by chance. */
export const patient = { redisMs: 5000, dynamoMs: 10_000, operationMs: 20_000, preSendMs: 10_000 }

/** A test that counts calls counts its own alone. */
const quiet = { proveWritesMs: 3_600_000 }

/**
 * Nodes of a world have the switches of the environment, so that `DYNAMODB_CLIENT=sdk REDIS_COMMANDS=plain GRAPHQL_EXECUTOR=reference
 * WEBSOCKET_PROTOCOL=graphql-ws npx vitest run test/flows` tests the libraries. A test that is about a switch sets it in its `config`. Nodes that are processes of their own
 * (test/process, test/chaos) get an environment of their own and run with the defaults.
 *
 * `STORE=embedded` makes worlds of one node, without Redis and DynamoDB; all persons talk to it. Tests that look into Redis, harm it or count calls
 * fail there. `REDIS=cluster` makes worlds whose Redis is a cluster of three masters, for tests that do not look into it.
 */
const isEmbedded = process.env.STORE === 'embedded'
const isCluster = process.env.REDIS === 'cluster'
const { DYNAMODB_CLIENT, REDIS_COMMANDS, REDIS_EVENTS, GRAPHQL_EXECUTOR, WEBSOCKET_PROTOCOL, SENDS_ROWS } = process.env
const { dynamodbClient, redisCommands, redisEvents, graphqlExecutor, websocketProtocol, claimRows } = readConfig({
  DYNAMODB_CLIENT,
  REDIS_COMMANDS,
  REDIS_EVENTS,
  GRAPHQL_EXECUTOR,
  WEBSOCKET_PROTOCOL,
  SENDS_ROWS,
})

/** A node looks by the clock whether anybody was banned and whether a task is due, whatever a test does meanwhile. */
const withoutChecks = ({ onDynamoCall }: AppOptions): AppOptions =>
  onDynamoCall ? { onDynamoCall: (call) => (isCheck(call) ? undefined : onDynamoCall(call)) } : {}
const isCheck = ({ operation, table }: DynamoCall): boolean =>
  operation !== 'BatchGetItem' && (table === 'restrictions' || table === 'timers')

/** Starts a system to test: a Redis and tables of its own, and some nodes in this process, each with its own port. */
export async function startWorld(options: WorldOptions = {}) {
  const count = isEmbedded ? Math.min(1, options.nodes ?? 1) : (options.nodes ?? 1)
  const dynamodbEndpoint = options.dynamodbEndpoint ?? (isEmbedded ? '' : await sharedService('dynalite'))
  const redis = isEmbedded ? noRedis() : isCluster ? await onlyCluster() : await startRedis()
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'))
  const prefix = `t${randomUUID().slice(0, 8)}_`
  const people: Person[] = []
  const nodes: Node[] = []

  async function startNode(app: AppOptions = {}, own: Partial<Config> = {}): Promise<void> {
    const config: Config = {
      production: false,
      host: '127.0.0.1',
      port: 0,
      redis: isEmbedded ? 'embedded' : { urls: redis.url.split(',') },
      dynamodb: isEmbedded ? 'embedded' : { endpoint: dynamodbEndpoint, region: 'us-east-1' },
      dynamodbClient,
      redisCommands,
      redisEvents,
      graphqlExecutor,
      websocketProtocol,
      tables: { prefix, create: true },
      claimRows,
      redisPrefix: defaultKeyPrefix,
      media: 'disk',
      push: { preview: true, log: false },
      auth: { secrets: [new TextEncoder().encode(testSecret)] },
      cursorSecrets: [new TextEncoder().encode('cursors of the tests')],
      allowedOrigins: [],
      graphiql: false,
      introspection: true,
      adminConsole: false,
      traffic: readConfig({}).traffic,
      events: false,
      dataDir,
      release: 'test',
      logLevel: 'silent',
      drainDelayMs: 0,
      ...options.config,
      ...own,
    }
    const given = { logger: pino({ level: 'silent' }), deadlines: patient, ...quiet, ...options.app, ...app }
    const node = createApp(config, { ...given, ...withoutChecks(given) })
    const { url } = await node.start()
    nodes.push({ url, parts: node.parts(), stop: node.stop })
  }

  for (let i = 0; i < count; i += 1) await startNode()
  const at = (node: number): number => (isEmbedded ? 0 : node)

  return {
    redis,
    prefix,
    dataDir,
    nodes,
    startNode,
    url: (node = 0): string => nodes[at(node)]?.url ?? '',

    /** Creates a new user, so that tests do not meet each other's conversations. */
    async person(
      name: string,
      { node = 0, displayName }: { node?: number; displayName?: string } = {},
    ): Promise<Person> {
      const person = await createPerson(
        `${name}-${randomUUID().slice(0, 8)}`,
        nodes[at(node)]?.url ?? '',
        displayName ? { name: displayName } : {},
      )
      people.push(person)
      return person
    },

    chatOf: (one: Person, other: Person): string => directConversationId(one.userId as UserId, other.userId as UserId),

    /** Resolves when the user is attached and has caught up. */
    async online({ userId }: Person): Promise<void> {
      await vi.waitFor(
        async () => {
          const [state] = (await nodes[0]?.parts.ports.sessions.presence([userId as UserId])) ?? []
          if (state !== 'online') throw new Error(`${userId} is ${state}`)
        },
        { timeout: 10_000, interval: 10 },
      )
    },

    /** Resolves when the user is not attached any more. */
    async offline({ userId }: Person): Promise<void> {
      await vi.waitFor(
        async () => {
          const [state] = (await nodes[0]?.parts.ports.sessions.presence([userId as UserId])) ?? []
          if (state !== 'offline') throw new Error(`${userId} is ${state}`)
        },
        { timeout: 10_000, interval: 10 },
      )
    },

    async stop(): Promise<void> {
      await Promise.all(people.map((person) => person.hangUp()))
      await Promise.all(nodes.map((node) => node.stop()))
      await redis.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** Whatever a test wants of it is an error that says why. */
const noRedis = (): RedisServer => only({ stop: async () => undefined }, 'STORE=embedded: there is no Redis')

async function onlyCluster(): Promise<RedisServer> {
  const { url, stop } = await startRedisCluster()
  return only({ url, stop }, 'REDIS=cluster: there are several')
}

function only(known: Partial<RedisServer>, why: string): RedisServer {
  return new Proxy(known as RedisServer, {
    get(target, name) {
      // Whoever awaits it looks for `then`.
      if (name in target || name === 'then') return Reflect.get(target, name)
      throw new Error(`${why}, so this test cannot ask for ${String(name)}.`)
    },
  })
}
