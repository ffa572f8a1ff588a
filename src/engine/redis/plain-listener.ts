import { Cluster, Redis, type RedisOptions } from 'ioredis'
import type { Timers } from '../../shared/timers.ts'
import { within } from '../../shared/within.ts'
import { backoffMs, connectionOptions } from './connection-options.ts'

/** It is called about the connection that listens. */
export type LinkWatcher = {
  lost(): void
  /** The connection is open again, and Redis has confirmed every subscription. */
  restored(): void
}

export type PlainListener = {
  subscriber: Redis
  watch(watcher: LinkWatcher): void
  /** Whether all that is published is heard, as far as is known. */
  hears(): boolean
  close(): void
}

type Options = {
  /** Probes are published by these connections. */
  commands: Redis | Cluster
  nodes: readonly [RedisOptions, ...RedisOptions[]]
  commandTimeoutMs: number
  timers: Timers
  /** No other process listens to this channel. */
  probeChannel: string
  onError: (error: Error) => void
}

const probeEveryMs = 2000

/**
 * Opens the one connection that hears what is published by PUBLISH. In a cluster that reaches every node, so it is enough to listen at any of
 * them.
 *
 * An open connection proves nothing: the server may be frozen, or a node of a cluster may have been taken out of it or cut off from the others,
 * and still answer. So a probe is published to each master every other second, and has to be heard again. Otherwise the connection is closed and
 * opened anew, in a cluster at the next node, and everybody who listens is told.
 */
export function createPlainListener(options: Options): PlainListener {
  const { commands, commandTimeoutMs, timers, probeChannel, onError } = options
  const subscriber = connectSubscriber(options)
  const watchers = new Set<LinkWatcher>()
  const awaitedProbes = new Map<string, () => void>()
  let probesMade = 0
  let hearing = false
  let losses = 0
  let messagesHeard = 0
  let mayHearProbes = false
  let doubtful = false
  let proving = false

  subscriber.on('error', onError)
  subscriber.on('message', (channel, text) => {
    messagesHeard += 1
    if (channel === probeChannel) awaitedProbes.get(text)?.()
  })
  subscriber.on('close', () => {
    losses += 1
    if (!hearing) return
    hearing = false
    for (const watcher of watchers) watcher.lost()
  })
  // ioredis has sent its SUBSCRIBE before it says ready: the answer to this PING comes after their confirmation. An
  // answer that arrives after yet another loss proves nothing.
  subscriber.on('ready', async () => {
    const lossesBefore = losses
    mayHearProbes = false
    const subscribed = () => {
      mayHearProbes = losses === lossesBefore
    }
    // A Redis that refuses the channel of the probes is one that answers, at least.
    subscriber.subscribe(probeChannel).then(subscribed, onError)
    const answered = await answersPing()
    if (losses !== lossesBefore) return
    if (!answered) return moveOn('it did not answer')
    if (hearing) return
    hearing = true
    doubtful = false
    for (const watcher of watchers) watcher.restored()
    void prove()
  })
  const proofs = setInterval(() => void prove(), probeEveryMs).unref()

  /** It ends the connection at once. ioredis itself would wait until the other side has closed it, too. */
  function moveOn(reason: string): void {
    onError(new Error(`Events of Redis are not heard any more: ${reason}`))
    const socket: { destroy(): void } | undefined = Reflect.get(subscriber, 'stream')
    socket?.destroy()
  }

  async function answersPing(): Promise<boolean> {
    return isInTime(subscriber.ping())
  }

  const isInTime = (work: Promise<unknown>): Promise<boolean> =>
    within(timers, commandTimeoutMs, work, () => new Error('late')).then(
      () => true,
      () => false,
    )

  async function prove(): Promise<void> {
    if (!hearing || proving) return
    proving = true
    const [lossesBefore, heardBefore] = [losses, messagesHeard]
    try {
      const probes = await Promise.all(mayHearProbes ? mastersOf(commands).map(hearProbe) : [])
      if (losses !== lossesBefore) return
      // Where much is heard the probe may only be late: then the next one decides.
      const busy = messagesHeard > heardBefore
      if (probes.includes('unheard')) {
        if (doubtful || !busy) moveOn('a probe that was published did not come')
        doubtful = true
      } else {
        doubtful = false
        // Redis cannot be told anything: this may concern the other connections alone.
        if (!probes.includes('heard') && !(await answersPing()) && losses === lossesBefore) moveOn('it did not answer')
      }
    } finally {
      proving = false
    }
  }

  async function hearProbe(master: Redis): Promise<'heard' | 'unheard' | 'unpublished'> {
    probesMade += 1
    const probe = String(probesMade)
    const heard = new Promise<void>((resolve) => awaitedProbes.set(probe, resolve))
    try {
      await master.publish(probeChannel, probe)
      return (await isInTime(heard)) ? 'heard' : 'unheard'
    } catch {
      return 'unpublished'
    } finally {
      awaitedProbes.delete(probe)
    }
  }

  return {
    subscriber,
    watch(watcher) {
      watchers.add(watcher)
      if (hearing) watcher.restored()
    },
    hears: () => hearing,
    close() {
      clearInterval(proofs)
      subscriber.disconnect()
    },
  }
}

const mastersOf = (commands: Redis | Cluster): Redis[] =>
  commands instanceof Cluster ? commands.nodes('master') : [commands]

function connectSubscriber({ commands, nodes, commandTimeoutMs }: Options): Redis {
  let moves = 0
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
      // `attempt` begins anew with every connection that opens, also one to a server that is frozen. So it does not say where to go next.
      moves += 1
      const candidates = nodesOf(commands, nodes)
      Object.assign(subscriber.options, candidates[moves % candidates.length])
      return backoffMs(attempt)
    },
  })
  markRejectionsHandled(subscriber)
  return subscriber
}

/** The nodes of the URL, and those that the cluster has besides. */
function nodesOf(commands: Redis | Cluster, nodes: readonly RedisOptions[]): readonly RedisOptions[] {
  if (!(commands instanceof Cluster)) return nodes
  const known = new Set(nodes.map(({ host, port }) => `${host}:${port}`))
  const others = commands.nodes('all').flatMap(({ options: { host, port } }) => {
    if (host === undefined || port === undefined || known.has(`${host}:${port}`)) return []
    return [{ host, port }]
  })
  return [...nodes, ...others]
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
