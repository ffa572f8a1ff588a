import { randomUUID } from 'node:crypto'
import type { Writable } from 'node:stream'
import { Cluster, Redis, type RedisOptions } from 'ioredis'
import { type ChatError, unavailable } from '../../protocol/errors.ts'
import {
  createDeadlineQueue,
  type Deadline,
  type DeadlineOwner,
  type DeadlineQueue,
} from '../../shared/deadline-queue.ts'
import { systemTimers, type Timers } from '../../shared/timers.ts'
import type { Call, WatchCall } from '../../shared/watch-call.ts'
import { within as withinTime } from '../../shared/within.ts'
import { createCommands, type RedisCommand, type RedisScript } from './command.ts'
import { parseRedisUrl } from './url.ts'

export type RedisLinkOptions = {
  /** `redis://`, `rediss://`, `unix:///path`; a comma-separated list is a cluster. */
  url: string
  /** How long a command may take; 1 s unless told. What needs more than one, as a subscription does, may take twice that. */
  commandTimeoutMs?: number
  /** Told of what the link survives: lost connections, malformed events. */
  onError?: (error: Error) => void
  /** Told once per batch of commands that the stores send together. */
  onRoundTrip?: (name: string) => void
  /** Told when such a batch goes out; what it returns is told how that ended. */
  watch?: WatchCall
  /** What deadlines go by; the timers of the process unless told. */
  timers?: Timers
}

/** Told about the connection that hears events. */
export type LinkWatcher = {
  lost(): void
  /** Connected again, and Redis has confirmed every subscription. */
  restored(): void
  closed(): void
}

/** One process's way to Redis: a connection for commands and one that only listens. */
export type RedisLink = {
  /** No other link has it. */
  id: string
  commands: Redis | Cluster
  subscriber: Redis
  /** For what is sent often: the same as a method of `commands`, for a few microseconds less. */
  command(name: string): RedisCommand
  script(lua: string, numberOfKeys: number): RedisScript
  /** The work's own outcome, or an error if it takes longer than an answer may; the work itself goes on. */
  inTime<T>(work: Promise<T>): Promise<T>
  /** What `send` sends before it first awaits goes out together. Whatever fails, fails as UNAVAILABLE. */
  roundTrip<T>(name: string, send: (call?: Call) => Promise<T>): Promise<T>
  watch(watcher: LinkWatcher): void
  onError(error: Error): void
  ping(): Promise<void>
  close(): Promise<void>
}

const heartbeatMs = 2000

export function createRedisLink(options: RedisLinkOptions): RedisLink {
  const { url, commandTimeoutMs = 1000, onError = () => undefined, onRoundTrip, watch, timers = systemTimers } = options
  const answerTimeoutMs = 2 * commandTimeoutMs
  const { cluster, nodes } = parseRedisUrl(url)
  const commands = cluster ? connectCluster(nodes, commandTimeoutMs) : connectSingle(nodes[0], commandTimeoutMs)
  const subscriber = connectSubscriber(nodes, commandTimeoutMs)
  // One queue for each time: those that wait equally long are due in the order they came.
  const lean = createCommands(commands, createDeadlineQueue(timers), commandTimeoutMs)
  const trips: Trips = { deadlines: createDeadlineQueue(timers), timeoutMs: answerTimeoutMs }
  const watchers = new Set<LinkWatcher>()

  commands.on('error', onError)
  subscriber.on('error', onError)

  let hearing = false
  let losses = 0
  // Whoever only listens does not notice that nobody speaks any more.
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
      const trip = new Trip(trips, call, resolve, reject)
      try {
        send(call).then(trip.answered, trip.failed)
      } catch (error) {
        trip.failed(error)
      }
    })
  }

  return {
    id: randomUUID(),
    commands,
    subscriber,
    command: lean.command,
    script: lean.script,
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

type Trips = { deadlines: DeadlineQueue; timeoutMs: number }

/** One call of a store, until its answer or its deadline. */
class Trip<T> implements DeadlineOwner {
  readonly #trips: Trips
  readonly #deadline: Deadline
  readonly #call: Call | undefined
  readonly #reject: (error: ChatError) => void
  readonly answered: (answer: T) => void
  readonly failed: (error: unknown) => void

  constructor(trips: Trips, call: Call | undefined, resolve: (answer: T) => void, reject: (error: ChatError) => void) {
    const { deadlines, timeoutMs } = trips
    this.#trips = trips
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
    this.#fail(lateError(this.#trips.timeoutMs))
  }

  #fail(error: unknown): void {
    this.#call?.ended(error)
    this.#reject(unavailable(error))
  }
}

const lateError = (timeoutMs: number): Error => new Error(`No answer from Redis within ${timeoutMs} ms`)

const backoffMs = (attempt: number): number => Math.min(50 * attempt, 1000)

const connectionOptions = (commandTimeoutMs: number) =>
  ({
    connectTimeout: 2 * commandTimeoutMs,
    // A peer that vanished without a word: give the connection up once it owes us an answer for this long.
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
  sendTogether(new Redis({ ...node, ...commandOptions(commandTimeoutMs) }))

function connectCluster(nodes: [RedisOptions, ...RedisOptions[]], commandTimeoutMs: number): Cluster {
  const { host: _host, port: _port, path: _path, ...credentials } = nodes[0]
  const connected = new Cluster(nodes, {
    clusterRetryStrategy: backoffMs,
    // Slots that had no node when first asked for are not asked for again otherwise.
    slotsRefreshInterval: 5000,
    redisOptions: { ...credentials, ...commandOptions(commandTimeoutMs) },
  })
  return connected.on('+node', sendTogether)
}

/**
 * What is sent in one turn of the event loop goes out in one write. The pipelines that ioredis makes for that cost more than the
 * commands in them, and hold back what comes while one is under way.
 */
function sendTogether(connection: Redis): Redis {
  const send = connection.sendCommand.bind(connection)
  let batch: Batch | undefined
  // Until it is ready, ioredis decides what may be sent. A cluster sends again what was lost with a connection, also where nobody
  // waits for it any more.
  connection.sendCommand = (command, stream) => {
    if (command.isResolved) return command.promise
    const socket = connection.status === 'ready' ? (Reflect.get(connection, 'stream') as Writable) : undefined
    if (!socket || (stream && 'isPipeline' in stream)) return send(command, stream)
    if (batch?.socket !== socket) batch = createBatch(socket)
    return send(command, batch as unknown as typeof stream)
  }
  return connection
}

type Batch = { socket: Writable; write(text: string | Buffer): void }

function createBatch(socket: Writable): Batch {
  let waiting = ''
  const flush = () => {
    const text = waiting
    waiting = ''
    // Nearly all is ASCII, which is quicker to write as what it is.
    if (text !== '' && socket.writable) socket.write(text, Buffer.byteLength(text) === text.length ? 'latin1' : 'utf8')
  }
  return {
    socket,
    write(text) {
      if (typeof text !== 'string') {
        flush()
        socket.write(text)
        return
      }
      if (waiting === '') setImmediate(flush)
      waiting += text
    },
  }
}

/** In a cluster a plain PUBLISH reaches every node: listening at any one of them is enough, at the next when it is gone. */
function connectSubscriber(nodes: [RedisOptions, ...RedisOptions[]], commandTimeoutMs: number): Redis {
  const subscriber = new Redis({
    ...nodes[0],
    ...connectionOptions(commandTimeoutMs),
    // With a ready check or CLIENT SETINFO there is time between `connect` and `ready`, and a SUBSCRIBE sent then is lost.
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

/** Nobody awaits the SUBSCRIBE that ioredis repeats after a reconnect: a link that closes just then would end the process. */
function markRejectionsHandled(connection: Redis): void {
  const send = connection.sendCommand.bind(connection)
  connection.sendCommand = (command, stream) => {
    const sent = send(command, stream)
    Promise.resolve(sent).catch(() => undefined)
    return sent
  }
}
