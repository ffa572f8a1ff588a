import { randomUUID } from 'node:crypto'
import { Cluster, Redis, type RedisOptions } from 'ioredis'
import {
  createDeadlineQueue,
  type Deadline,
  type DeadlineOwner,
  type DeadlineQueue,
} from '../../shared/deadline-queue.ts'
import { systemTimers, type Timers } from '../../shared/timers.ts'
import type { Call, WatchCall } from '../../shared/watch-call.ts'
import { within as withinTime } from '../../shared/within.ts'
import { createLeanCommands, type RedisCommand, type RedisScript } from './command.ts'
import { backoffMs, commandOptions } from './connection-options.ts'
import { createPlainCommands } from './plain-command.ts'
import { createPlainListener, type PlainListener } from './plain-listener.ts'
import { sendTogether } from './send-together.ts'
import { createShardedListener, type ShardedListener } from './sharded-listener.ts'
import { slotOf } from './slot-table.ts'
import { parseRedisUrl } from './url.ts'

export type RedisLinkOptions = {
  /** It is `redis://`, `rediss://` or `unix:///path`; a comma-separated list is a cluster. */
  url: string
  /** A command may take this long; the default is 1 s. A call that needs several commands, such as a subscription, may take twice that. */
  commandTimeoutMs?: number
  /** It is called with failures that the link survives: lost connections, malformed events. */
  onError?: (error: Error) => void
  /** It is called once for each batch of commands that is sent together. */
  onRoundTrip?: (name: string) => void
  /** It is called when such a batch is sent, and returns a function that is called with the outcome. */
  watch?: WatchCall
  /** The default is `lean`: frequent commands take a shorter way through ioredis. `plain` uses nothing but ioredis's own commands. */
  commandStyle?: 'lean' | 'plain'
  /** How a cluster is published to and listened to; the default is `sharded`. On a single Redis everything is plain. */
  clusterPubSub?: ClusterPubSub
  /** The channels that the link itself needs begin with this. The default is ''. */
  channelPrefix?: string
  /** Makes the error that callers get when Redis did not answer. The default is a RedisUnavailableError. */
  toError?: (cause: unknown) => Error
  /** The deadlines use these timers. The default is those of the process. */
  timers?: Timers
}

/**
 * `sharded`: SPUBLISH, which stays in the shard of its channel, is published and heard. `plain`: PUBLISH, which is carried to every node, is
 * published, and both are heard. `moving`: SPUBLISH is published, and both are heard.
 */
export type ClusterPubSub = 'sharded' | 'moving' | 'plain'

/** The link of one process to Redis: connections for commands, and some that only listen. */
export type RedisLink = {
  /** No other link has this id. */
  id: string
  commands: Redis | Cluster
  /** Whether a command may only touch keys of one slot. */
  isCluster: boolean
  /** Keys for which this is the same are kept by one master, as far as is known. */
  masterOf(key: string): string
  /** It hears what is published by PUBLISH. There is none where nothing is. */
  plain: PlainListener | undefined
  /** It hears what is published by SPUBLISH. */
  sharded: ShardedListener | undefined
  /** Does the same as a method of `commands`, in a few microseconds less. It is for commands that are sent often. */
  command(name: string): RedisCommand
  /** The script may call `publish(channel, text)`. In a cluster the channel has to be in the slot of the keys. */
  script(lua: string, numberOfKeys: number): RedisScript
  /** Does the same outside a script, in the order of the scripts that were sent before, and by the same node of a cluster. */
  publish(channel: string, text: string): Promise<unknown>
  /** For each kind of publishing that is heard, a script with the channel as its key and the text as its argument. */
  publishers: readonly RedisScript[]
  /** Returns whether Redis knows the commands that the link needs there. While it does not answer, it is believed to. */
  canShard(): Promise<boolean>
  /** Settles as the work does, or rejects if it takes longer than an answer may; the work itself goes on. */
  inTime<T>(work: Promise<T>): Promise<T>
  /** What `send` sends before it first awaits goes out together. Every failure is the error that `toError` makes of it. */
  roundTrip<T>(name: string, send: (call?: Call) => Promise<T>): Promise<T>
  onClose(closed: () => void): void
  /** Whether all that is published is heard, as far as is known. */
  hears(): boolean
  onError(error: Error): void
  ping(): Promise<void>
  close(): Promise<void>
}

export function createRedisLink(options: RedisLinkOptions): RedisLink {
  const { url, commandTimeoutMs = 1000, onError = () => undefined, onRoundTrip, watch, timers = systemTimers } = options
  const { commandStyle = 'lean', clusterPubSub = 'sharded', toError = defaultToError, channelPrefix = '' } = options
  const id = randomUUID()
  const isLean = commandStyle === 'lean'
  const answerTimeoutMs = 2 * commandTimeoutMs
  const { cluster, nodes } = parseRedisUrl(url)
  const commands = cluster ? connectCluster(nodes, commandTimeoutMs) : connectSingle(nodes[0], commandTimeoutMs)
  if (isLean) eachConnection(commands, sendTogether)
  const sender = isLean
    ? createLeanCommands(commands, createDeadlineQueue(timers), commandTimeoutMs)
    : createPlainCommands(commands)
  const roundTrips: RoundTrips = { deadlines: createDeadlineQueue(timers), timeoutMs: answerTimeoutMs, toError }
  commands.on('error', onError)

  const isSharded = cluster
  const isPlain = !cluster || clusterPubSub !== 'sharded'
  const script = (lua: string, numberOfKeys: number): RedisScript =>
    sender.script(withPublish(lua, cluster && clusterPubSub !== 'plain' ? 'SPUBLISH' : 'PUBLISH'), numberOfKeys)
  const publisher = (command: PublishCommand) => sender.script(withPublish(publishLua, command), 1)
  const spublish = publisher('SPUBLISH')
  // ioredis sends PUBLISH to any node of a cluster, and a script to the one that has its key.
  const publishAlone =
    cluster && clusterPubSub === 'plain'
      ? onChannel(publisher('PUBLISH'))
      : sender.command(cluster ? 'spublish' : 'publish')
  const probePrefix = `${channelPrefix}probe:${id}`
  const sharedOptions = { commandTimeoutMs, timers, onError }
  const plain = isPlain
    ? createPlainListener({ ...sharedOptions, commands, nodes, probeChannel: probePrefix })
    : undefined
  const sharded = isSharded
    ? createShardedListener({
        ...sharedOptions,
        seeds: nodes,
        probePrefix,
        publish: (channel, text) => spublish([channel], [text]),
        // ioredis asks one node every 5 s.
        onMoved: () => commands instanceof Cluster && commands.refreshSlotsCache(),
      })
    : undefined
  const closing = new Set<() => void>()

  const within = <T>(timeoutMs: number, work: Promise<T>): Promise<T> =>
    withinTime(timers, timeoutMs, work, () => lateError(timeoutMs))

  function roundTrip<T>(name: string, send: (call?: Call) => Promise<T>): Promise<T> {
    onRoundTrip?.(name)
    const call = watch?.(name)
    return new Promise((resolve, reject) => {
      const pending = new RoundTrip(roundTrips, call, resolve, reject)
      try {
        send(call).then(pending.answered, pending.failed)
      } catch (error) {
        pending.failed(error)
      }
    })
  }

  return {
    id,
    commands,
    isCluster: cluster,
    masterOf: (key) => (commands instanceof Cluster ? masterOf(commands, key) : ''),
    plain,
    sharded,
    command: sender.command,
    script,
    publish: (channel, text) => publishAlone(channel, [text]),
    publishers: [...(plain ? [publisher('PUBLISH')] : []), ...(sharded ? [spublish] : [])],
    canShard: () =>
      !sharded
        ? Promise.resolve(true)
        : spublish([probePrefix], ['']).then(
            () => true,
            (error: Error) => !/unknown.*command/i.test(error.message),
          ),
    inTime: (work) => within(answerTimeoutMs, work),
    roundTrip,
    onClose: (closed) => void closing.add(closed),
    hears: () => [plain, sharded].every((each) => each?.hears() ?? true),
    onError,
    ping: () => roundTrip('ping', async () => void (await commands.ping())),
    async close() {
      plain?.close()
      sharded?.close()
      for (const closed of closing) closed()
      closing.clear()
      await within(commandTimeoutMs, commands.quit()).catch(onError)
      commands.disconnect()
    },
  }
}

type PublishCommand = 'PUBLISH' | 'SPUBLISH'

const publishLua = 'return publish(KEYS[1], ARGV[1])'

const onChannel =
  (publish: RedisScript): RedisCommand =>
  (channel, args) =>
    publish([channel], args)

/** Defines the function in scripts that call it. */
const withPublish = (lua: string, command: PublishCommand): string =>
  /\bpublish\(/.test(lua)
    ? `local function publish(channel, text) return redis.call('${command}', channel, text) end\n${lua}`
    : lua

type RoundTrips = { deadlines: DeadlineQueue; timeoutMs: number; toError: (cause: unknown) => Error }

/** A round trip lasts until its answer or its deadline. */
class RoundTrip<T> implements DeadlineOwner {
  readonly #roundTrips: RoundTrips
  readonly #deadline: Deadline
  readonly #call: Call | undefined
  readonly #reject: (error: Error) => void
  readonly answered: (answer: T) => void
  readonly failed: (error: unknown) => void

  constructor(
    roundTrips: RoundTrips,
    call: Call | undefined,
    resolve: (answer: T) => void,
    reject: (error: Error) => void,
  ) {
    const { deadlines, timeoutMs } = roundTrips
    this.#roundTrips = roundTrips
    this.#call = call
    this.#reject = reject
    this.answered = (answer) => {
      if (!deadlines.remove(this.#deadline)) return
      call?.ended()
      resolve(answer)
    }
    this.failed = (error) => {
      if (deadlines.remove(this.#deadline)) this.#fail(error)
    }
    this.#deadline = deadlines.add(this, deadlines.monotonic() + timeoutMs)
  }

  onDue(): void {
    this.#fail(lateError(this.#roundTrips.timeoutMs))
  }

  #fail(error: unknown): void {
    this.#call?.ended(error)
    this.#reject(this.#roundTrips.toError(error))
  }
}

/** Redis did not answer, or refused: the cause says why. Whether a command was run is not known. */
export class RedisUnavailableError extends Error {
  override name = 'RedisUnavailableError'

  constructor(cause: unknown) {
    super('Redis is not available.', { cause })
  }
}

const defaultToError = (cause: unknown): Error => new RedisUnavailableError(cause)

const lateError = (timeoutMs: number): Error => new Error(`No answer from Redis within ${timeoutMs} ms`)

const connectSingle = (node: RedisOptions, commandTimeoutMs: number): Redis =>
  new Redis({ ...node, ...commandOptions(commandTimeoutMs) })

function connectCluster(nodes: [RedisOptions, ...RedisOptions[]], commandTimeoutMs: number): Cluster {
  const { host: _host, port: _port, path: _path, ...credentials } = nodes[0]
  return new Cluster(nodes, {
    clusterRetryStrategy: backoffMs,
    // Otherwise ioredis does not ask again for slots that had no node when it first asked.
    slotsRefreshInterval: 5000,
    redisOptions: { ...credentials, ...commandOptions(commandTimeoutMs) },
  })
}

/** A slot of which no master is known is taken for one by itself. */
function masterOf(cluster: Cluster, key: string): string {
  const slot = slotOf(key)
  return cluster.slots[slot]?.[0] ?? `slot ${slot}`
}

/** Uses the one connection, or each that the cluster opens. */
function eachConnection(commands: Redis | Cluster, use: (connection: Redis) => void): void {
  if (commands instanceof Cluster) commands.on('+node', use)
  else use(commands)
}
