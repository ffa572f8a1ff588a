import type { RedisOptions } from 'ioredis'
import type { Timers } from '../../shared/timers.ts'
import { within } from '../../shared/within.ts'
import { ReplyError } from './resp.ts'
import { createShardConnections, type ShardConnection } from './shard-connections.ts'
import { addressKey, isSameTable, majorityOf, type Shard, type SlotTable, slotOf } from './slot-table.ts'

// A sharded channel is in the slot of its name, and heard at the master that has the slot. Whenever that may be another one (the server drops a
// subscription unasked, the connection breaks, a probe is not heard, most nodes say so), the channel is lost; it is restored when the right node
// has confirmed it again. What was published in between may not have been heard.
//
// A master that has lost a slot accepts what is published there until the new one, or another node, has told it. We may know sooner. So we go on
// hearing it as well, until it drops the subscription itself.

export type ChannelHandler = {
  message(text: string): void
  /** What is published from now on may not be heard, until `restored`. */
  lost(): void
  restored(): void
}

export type ShardedListener = {
  /** Resolves, when the server has confirmed, to a function that unsubscribes. There is one call at a time for one channel. */
  subscribe(channel: string, handler: ChannelHandler): Promise<() => void>
  /** Whether all that is published is heard, as far as is known. */
  hears(): boolean
  close(): void
}

type Options = {
  seeds: readonly [RedisOptions, ...RedisOptions[]]
  commandTimeoutMs: number
  timers: Timers
  /** The names of the channels of probes begin with this. No other process uses it. */
  probePrefix: string
  /** Publishes as everybody else does, and rejects if the cluster does not accept it. */
  publish: (channel: string, text: string) => Promise<unknown>
  /** Is called when other nodes have the slots than before. */
  onMoved: () => void
  onError: (error: Error) => void
}

class Channel {
  readonly name: string
  readonly slot: number
  readonly handler: ChannelHandler
  /** It is subscribed there, or about to be. */
  at: ShardConnection | undefined
  /** It was subscribed there before, at a master that may not know yet that its slot has moved. */
  before: ShardConnection | undefined
  heard = false
  /** It was not confirmed yet, not even once. */
  first: { resolve: () => void; reject: (error: Error) => void } | undefined

  constructor(name: string, handler: ChannelHandler) {
    this.name = name
    this.slot = slotOf(name)
    this.handler = handler
  }
}

/** `unpublished`: the cluster has not accepted the probe, so there was nothing to be heard. `deaf`: nothing is subscribed at the moment. */
type Proof = 'heard' | 'unheard' | 'unpublished' | 'deaf'

const probeEveryMs = 2000
const probesPerShard = 2
/** A master that has heard from no other for as long as this, by default, accepts nothing any more. */
const lingerMs = 15_000
const retryMs = [20, 50, 100, 200, 500, 1000] as const

export function createShardedListener(options: Options): ShardedListener {
  const { seeds, commandTimeoutMs, timers, probePrefix, publish, onMoved, onError } = options
  const channels = new Map<string, Channel>()
  const homeless = new Set<Channel>()
  const probes = new Map<string, { slot: number; heardProbes: Map<string, () => void> }>()
  const proofs = new Map<string, Proof>()
  const doubtful = new Set<string>()
  let table: SlotTable | undefined
  let probesMade = 0
  let messagesHeard = 0
  let refreshing = false
  let wanted = false
  let attempt = 0
  let retrying = false
  let closed = false

  const connections = createShardConnections({
    seeds,
    timeoutMs: commandTimeoutMs,
    timers,
    onMessage(from, name, text) {
      messagesHeard += 1
      const channel = channels.get(name)
      if (channel && (channel.at === from || channel.before === from)) channel.handler.message(text)
    },
    onDropped(from, name) {
      const channel = channels.get(name)
      if (channel?.before === from) channel.before = undefined
      if (channel?.at !== from) return
      lose(channel)
      refresh()
    },
    onOpened: settle,
    onClosed(from, error) {
      if (closed) return
      onError(new Error(`Events of ${from.key} are not heard any more: ${error.message}`))
      for (const channel of channels.values()) if (channel.at === from) lose(channel)
      refresh()
    },
  })
  const beats = setInterval(() => void beat(), probeEveryMs).unref()
  refresh()

  /** Asks which slots are where, now, or once more when the asking that is under way has ended. */
  function refresh(): void {
    wanted = true
    if (refreshing || closed || retrying) return
    refreshing = true
    wanted = false
    void connections.askAll(table).then((tables) => {
      refreshing = false
      if (closed) return
      if (tables.length > 0) adopt(majorityOf(tables))
      if (homeless.size === 0 && !wanted && table) attempt = 0
      else later()
    })
  }

  /** While channels are without a node, the nodes are asked again and again, but less and less often. */
  function later(): void {
    if (retrying) return
    retrying = true
    timers.start(retryMs[Math.min(attempt, retryMs.length - 1)] ?? 0, () => {
      retrying = false
      if (homeless.size > 0 || wanted || !table) refresh()
      else attempt = 0
    })
    attempt += 1
  }

  function adopt(next: SlotTable): void {
    const previous = table
    table = next
    if (previous && !isSameTable(previous, next)) {
      linger(previous)
      onMoved()
    }
    settle()
  }

  /** A master that had a slot in the table before may not know yet that it has moved. It says itself when it does. */
  function linger(previous: SlotTable): void {
    const left: { channel: Channel; before: ShardConnection }[] = []
    for (const channel of channels.values()) {
      const { at: before, slot } = channel
      if (!before?.open || !isMasterOf(previous, slot, before)) continue
      // What is published in the shard of a replica is heard at both.
      if (shardOf(slot)?.nodes.some((address) => addressKey(address) === before.key)) continue
      endBefore(channel)
      channel.before = before
      connections.keep(before, lingerMs)
      lose(channel)
      left.push({ channel, before })
    }
    if (left.length === 0) return
    timers.start(lingerMs, () => {
      for (const { channel, before } of left) if (channel.before === before) endBefore(channel)
      settle()
    })
  }

  function endBefore(channel: Channel): void {
    if (channel.before?.open) channel.before.connection.unsubscribe(channel.name)
    channel.before = undefined
  }

  /** Brings connections, probes and channels in line with the table. */
  function settle(): void {
    if (closed || !table) return
    connections.adapt(table)
    chooseProbes(table)
    for (const channel of channels.values()) {
      const shard = shardOf(channel.slot)
      if (channel.at && !(shard && connections.mayStay(channel.at, shard))) {
        if (channel.at.open) channel.at.connection.unsubscribe(channel.name)
        lose(channel)
      }
    }
    for (const channel of [...homeless]) place(channel)
  }

  function shardOf(slot: number): Shard | undefined {
    const owner = table?.owners[slot]
    return owner === undefined ? undefined : table?.shards.get(owner)
  }

  function lose(channel: Channel): void {
    channel.at = undefined
    homeless.add(channel)
    if (!channel.heard) return
    channel.heard = false
    channel.handler.lost()
  }

  function place(channel: Channel): void {
    const shard = shardOf(channel.slot)
    const at = shard && connections.bestOf(shard)
    if (!at) {
      if (!refreshing) later()
      return
    }
    homeless.delete(channel)
    channel.at = at
    if (channel.before === at) channel.before = undefined
    const confirmed = () => {
      if (channel.at !== at || channels.get(channel.name) !== channel) return
      channel.heard = true
      const { first } = channel
      channel.first = undefined
      if (first) first.resolve()
      else channel.handler.restored()
    }
    at.connection.subscribe(channel.name).then(confirmed, (error: Error) => {
      if (channel.at !== at || channels.get(channel.name) !== channel) return
      lose(channel)
      if (isRefusal(error)) {
        onError(error)
        if (channel.first) {
          forget(channel)
          channel.first.reject(error)
        } else later()
      } else refresh()
    })
  }

  function forget(channel: Channel): void {
    if (channels.get(channel.name) === channel) channels.delete(channel.name)
    homeless.delete(channel)
  }

  function leave(channel: Channel): void {
    const { at } = channel
    forget(channel)
    endBefore(channel)
    channel.at = undefined
    if (at?.open) at.connection.unsubscribe(channel.name)
  }

  function subscribe(name: string, handler: ChannelHandler): Promise<() => void> {
    return new Promise((resolve, reject) => {
      if (closed) return reject(new Error('The link to Redis is closed'))
      const channel = new Channel(name, handler)
      channel.first = { resolve: () => resolve(() => leave(channel)), reject }
      channels.set(name, channel)
      homeless.add(channel)
      place(channel)
    })
  }

  /** Each shard has two channels of probes, in different slots: what is published in a slot that is just moving is not heard. */
  function chooseProbes({ shards, owners }: SlotTable): void {
    const lacking = new Map([...shards.keys()].map((id) => [id, probesPerShard]))
    const chosen = new Set<string>()
    for (let i = 0; lacking.size > 0 && i < 200 * shards.size; i += 1) {
      const name = `${probePrefix}:{${probePrefix}:${i}}`
      const owner = owners[slotOf(name)]
      const left = owner === undefined ? undefined : lacking.get(owner)
      if (owner === undefined || left === undefined) continue
      chosen.add(name)
      if (left > 1) lacking.set(owner, left - 1)
      else lacking.delete(owner)
    }
    for (const name of probes.keys()) {
      if (chosen.has(name)) continue
      probes.delete(name)
      const channel = channels.get(name)
      if (channel) leave(channel)
    }
    for (const name of chosen) if (!probes.has(name)) listenToProbe(name)
    for (const id of proofs.keys()) if (!shards.has(id)) proofs.delete(id)
  }

  function listenToProbe(name: string): void {
    const heardProbes = new Map<string, () => void>()
    const slot = slotOf(name)
    probes.set(name, { slot, heardProbes })
    const proveShard = () => {
      const shard = shardOf(slot)
      if (shard && proofs.get(shard.id) !== 'heard') void prove(shard)
    }
    const lost = () => {
      const shard = shardOf(slot)
      if (shard) proofs.set(shard.id, 'deaf')
    }
    subscribe(name, { message: (probe) => heardProbes.get(probe)?.(), lost, restored: proveShard }).then(
      proveShard,
      onError,
    )
  }

  async function beat(): Promise<void> {
    if (closed || !table) return
    connections.ping()
    for (const shard of table.shards.values()) void prove(shard)
    const tables = await connections.glance()
    if (!closed && tables.length > 0 && table && !isSameTable(table, majorityOf(tables))) refresh()
    // A master that was away may be back.
    settle()
  }

  /** A shard whose probes are published and not heard is listened to in vain, however well its node answers. */
  async function prove(shard: Shard): Promise<void> {
    const at = connections.bestOf(shard)
    const heardBefore = messagesHeard
    let proof: Proof = 'deaf'
    for (const [name, { slot }] of probes) {
      if (table?.owners[slot] !== shard.id) continue
      const next = await hearProbe(name)
      if (next !== 'deaf') proof = next
      if (next === 'heard' || next === 'unpublished') break
    }
    if (closed || table?.shards.get(shard.id) === undefined) return
    proofs.set(shard.id, proof)
    if (proof === 'heard') doubtful.delete(shard.id)
    else if (proof === 'unpublished') refresh()
    else if (proof === 'unheard' && at?.open) {
      // Where much is heard a probe may only be late: then the next one decides.
      if (doubtful.has(shard.id) || messagesHeard === heardBefore)
        at.connection.destroy(new Error('a probe that was published did not come'))
      else doubtful.add(shard.id)
    }
  }

  async function hearProbe(name: string): Promise<Proof> {
    const heardProbes = probes.get(name)?.heardProbes
    if (!heardProbes || !channels.get(name)?.heard) return 'deaf'
    probesMade += 1
    const probe = String(probesMade)
    const heard = new Promise<void>((resolve) => heardProbes.set(probe, resolve))
    try {
      await publish(name, probe)
      return await within(timers, commandTimeoutMs, heard, () => new Error('late')).then(
        () => 'heard' as const,
        () => 'unheard' as const,
      )
    } catch {
      return 'unpublished'
    } finally {
      heardProbes.delete(probe)
    }
  }

  function isProven(id: string): boolean {
    const proof = proofs.get(id)
    return proof === 'heard' || proof === 'unpublished'
  }

  return {
    subscribe,
    hears: () => table !== undefined && [...table.shards.keys()].every(isProven),
    close() {
      closed = true
      clearInterval(beats)
      connections.close()
      for (const { first } of channels.values()) first?.reject(new Error('The link to Redis is closed'))
      channels.clear()
      homeless.clear()
    },
  }
}

function isMasterOf({ owners, shards }: SlotTable, slot: number, { key }: ShardConnection): boolean {
  const [master] = shards.get(owners[slot] ?? '')?.nodes ?? []
  return master !== undefined && addressKey(master) === key
}

/** The server has judged, and another node or another time would not help. */
const isRefusal = (error: Error): boolean =>
  error instanceof ReplyError && !/^(MOVED|ASK|TRYAGAIN|CLUSTERDOWN|MASTERDOWN|LOADING)\b/.test(error.message)
