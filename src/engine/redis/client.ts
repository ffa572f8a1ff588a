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
import { createPlainCommands } from './plain-command.ts'
import { sendTogether } from './send-together.ts'
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
  /** Makes the error that callers get when Redis did not answer. The default is a RedisUnavailableError. */
  toError?: (cause: unknown) => Error
  /** The deadlines use these timers. The default is those of the process. */
  timers?: Timers
}

/** It is called about the connection that listens. */
type LinkWatcher = {
  lost(): void
  /** The connection is open again, and Redis has confirmed every subscription. */
  restored(): void
  closed(): void
}

/** The link of one process to Redis: a connection for commands and one that only listens. */
export type RedisLink = {
  /** No other link has this id. */
  id: string
  commands: Redis | Cluster
  subscriber: Redis
  isCluster: boolean
  /** Does the same as a method of `commands`, in a few microseconds less. It is for commands that are sent often. */
  command(name: string): RedisCommand
  script(lua: string, numberOfKeys: number): RedisScript
  /** Settles as the work does, or rejects if it takes longer than an answer may; the work itself goes on. */
  inTime<T>(work: Promise<T>): Promise<T>
  /** What `send` sends before it first awaits goes out together. Every failure is the error that `toError` makes of it. */
  roundTrip<T>(name: string, send: (call?: Call) => Promise<T>): Promise<T>
  watch(watcher: LinkWatcher): void
  onError(error: Error): void
  ping(): Promise<void>
  close(): Promise<void>
}

const heartbeatMs = 2000

export function createRedisLink(options: RedisLinkOptions): RedisLink {
  const { url, commandTimeoutMs = 1000, onError = () => undefined, onRoundTrip, watch, timers = systemTimers } = options
  const { commandStyle = 'lean', toError = defaultToError } = options
  const isLean = commandStyle === 'lean'
  const answerTimeoutMs = 2 * commandTimeoutMs
  const { cluster, nodes } = parseRedisUrl(url)
  const commands = cluster ? connectCluster(nodes, commandTimeoutMs) : connectSingle(nodes[0], commandTimeoutMs)
  if (isLean) eachConnection(commands, sendTogether)
  const subscriber = connectSubscriber(nodes, commandTimeoutMs)
  const sender = isLean
    ? createLeanCommands(commands, createDeadlineQueue(timers), commandTimeoutMs)
    : createPlainCommands(commands)
  const roundTrips: RoundTrips = { deadlines: createDeadlineQueue(timers), timeoutMs: answerTimeoutMs, toError }
  const watchers = new Set<LinkWatcher>()

  commands.on('error', onError)
  subscriber.on('error', onError)

  let hearing = false
  let losses = 0
  // A connection that only listens does not notice that the other side is gone: it has to ask.
  const heartbeat = setInterval(() => hearing && void subscriber.ping().catch(onError), heartbeatMs).unref()
  subscriber.on('close', () => {
    losses += 1
    if (!hearing) return
    hearing = false
    for (const watcher of watchers) watcher.lost()
  })
  // ioredis has sent its SUBSCRIBE before it says ready: the answer to this PING comes after their confirmation. An
  // answer that arrives after yet another loss proves nothing.
  subscriber.on('ready', () => {
    const lossesBefore = losses
    const confirmed = () => {
      if (hearing || losses !== lossesBefore) return
      hearing = true
      for (const watcher of watchers) watcher.restored()
    }
    subscriber.ping().then(confirmed, onError)
  })

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
    id: randomUUID(),
    commands,
    isCluster: cluster,
    subscriber,
    command: sender.command,
    script: sender.script,
    inTime: (work) => within(answerTimeoutMs, work),
    roundTrip,
    watch(watcher) {
      watchers.add(watcher)
      if (hearing) watcher.restored()
    },
    onError,
    ping: () => roundTrip('ping', async () => void (await commands.ping())),
    async close() {
      clearInterval(heartbeat)
      for (const watcher of watchers) watcher.closed()
      watchers.clear()
      await within(commandTimeoutMs, commands.quit()).catch(onError)
      commands.disconnect()
      subscriber.disconnect()
    },
  }
}

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

const backoffMs = (attempt: number): number => Math.min(50 * attempt, 1000)

const connectionOptions = (commandTimeoutMs: number) =>
  ({
    connectTimeout: 2 * commandTimeoutMs,
    // A peer may vanish without a word: the connection is given up once it owes us an answer for this long.
    socketTimeout: 2 * commandTimeoutMs,
    disconnectTimeout: commandTimeoutMs,
    retryStrategy: backoffMs,
  }) satisfies RedisOptions

const commandOptions = (commandTimeoutMs: number) =>
  ({
    ...connectionOptions(commandTimeoutMs),
    commandTimeout: commandTimeoutMs,
    // Commands in flight when the connection breaks fail at once and are never sent a second time.
    maxRetriesPerRequest: 0,
    // After a failover the old master may live on as a replica.
    reconnectOnError: (error) => error.message.includes('READONLY'),
  }) satisfies RedisOptions

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

/** Uses the one connection, or each that the cluster opens. */
function eachConnection(commands: Redis | Cluster, use: (connection: Redis) => void): void {
  if (commands instanceof Cluster) commands.on('+node', use)
  else use(commands)
}

/** In a cluster a plain PUBLISH reaches every node: it is enough to subscribe at any node, and at the next one if that fails. */
function connectSubscriber(nodes: [RedisOptions, ...RedisOptions[]], commandTimeoutMs: number): Redis {
  const subscriber = new Redis({
    ...nodes[0],
    ...connectionOptions(commandTimeoutMs),
    // With a ready check or CLIENT SETINFO there is time between `connect` and `ready`, and a SUBSCRIBE sent then is lost. Both can go
    // when https://github.com/redis/ioredis/issues/2037 is fixed.
    enableReadyCheck: false,
    disableClientInfo: true,
    autoResubscribe: true,
    maxRetriesPerRequest: null,
    retryStrategy: (attempt) => {
      Object.assign(subscriber.options, nodes[attempt % nodes.length])
      return backoffMs(attempt)
    },
  })
  markRejectionsHandled(subscriber)
  return subscriber
}

/**
 * No code awaits the SUBSCRIBE that ioredis repeats after a reconnect: a link that closes just then would end the process. This can go when
 * ioredis handles that rejection itself; 5.11.1 does not.
 */
function markRejectionsHandled(connection: Redis): void {
  const send = connection.sendCommand.bind(connection)
  connection.sendCommand = (command, stream) => {
    const sent = send(command, stream)
    Promise.resolve(sent).catch(() => undefined)
    return sent
  }
}
