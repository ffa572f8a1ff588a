import type { RedisOptions } from 'ioredis'
import type { Timers } from '../../shared/timers.ts'
import { type ListeningConnection, openListeningConnection } from './listening-connection.ts'
import { addressKey, type NodeAddress, readSlotTable, type Shard, type SlotTable } from './slot-table.ts'

/** A connection that listens at one node of the cluster. */
export type ShardConnection = { key: string; connection: ListeningConnection; open: boolean; keepUntilMs: number }

type Options = {
  /** The nodes of the URL, with the credentials of all. */
  seeds: readonly [RedisOptions, ...RedisOptions[]]
  timeoutMs: number
  timers: Timers
  onMessage: (from: ShardConnection, channel: string, text: string) => void
  onDropped: (from: ShardConnection, channel: string) => void
  onOpened: () => void
  onClosed: (from: ShardConnection, error: Error) => void
}

/** A node that has failed is left alone for this long, unless its shard has no other. */
const avoidMs = 5000
/** When most have answered, the others are not waited for any longer than this. */
const stragglersMs = 100
/** A look whether the slots are where they were asks so many. */
const glances = 3

export type ShardConnections = ReturnType<typeof createShardConnections>

/** Keeps one connection per shard, to its master, or while that is away to a replica. */
export function createShardConnections(options: Options) {
  const { seeds, timeoutMs, timers } = options
  const { host: _host, port: _port, path: _path, ...credentials } = seeds[0]
  const connections = new Map<string, ShardConnection>()
  const failedAtMs = new Map<string, number>()
  let turn = 0

  function open(address: NodeAddress): void {
    const key = addressKey(address)
    const shardConnection: ShardConnection = {
      key,
      open: false,
      keepUntilMs: 0,
      connection: openListeningConnection({
        server: { ...credentials, ...address },
        timeoutMs,
        timers,
        onMessage: (channel, text) => options.onMessage(shardConnection, channel, text),
        onDropped: (channel) => options.onDropped(shardConnection, channel),
        onClosed(error) {
          if (connections.get(key) !== shardConnection) return
          connections.delete(key)
          shardConnection.open = false
          failedAtMs.set(key, timers.monotonic())
          options.onClosed(shardConnection, error)
        },
      }),
    }
    connections.set(key, shardConnection)
    const opened = () => {
      if (connections.get(key) !== shardConnection) return
      shardConnection.open = true
      failedAtMs.delete(key)
      options.onOpened()
    }
    shardConnection.connection.opened.then(opened, () => {
      // It was closed, and that was told.
    })
  }

  const isAvoided = (address: NodeAddress): boolean =>
    timers.monotonic() - (failedAtMs.get(addressKey(address)) ?? Number.NEGATIVE_INFINITY) < avoidMs

  const connectionsOf = ({ nodes }: Shard): ShardConnection[] =>
    nodes.flatMap((address) => connections.get(addressKey(address)) ?? [])

  /**
   * Returns the connection to listen at, if there is one. A replica will do only where the master was tried: every change of the connection is a
   * gap for those who listen.
   */
  function bestOf(shard: Shard): ShardConnection | undefined {
    const [master] = shard.nodes
    const atMaster = master && connections.get(addressKey(master))
    if (atMaster?.open) return atMaster
    if (atMaster && !failedAtMs.has(atMaster.key)) return undefined
    return connectionsOf(shard).find((each) => each.open)
  }

  return {
    bestOf,
    /** Whether what is subscribed there may stay: until the master answers, any node of the shard will do. */
    mayStay(at: ShardConnection, shard: Shard): boolean {
      if (!at.open) return false
      const [master] = shard.nodes
      const atMaster = master && connections.get(addressKey(master))
      return at === atMaster || (!atMaster?.open && connectionsOf(shard).includes(at))
    },

    /** It is not closed for so long, although no table may ask for it. */
    keep(each: ShardConnection, forMs: number): void {
      each.keepUntilMs = timers.monotonic() + forMs
    },

    /** Opens what a table asks for, and closes what it does not. */
    adapt(table: SlotTable): void {
      const wanted = new Set<ShardConnection>()
      for (const shard of table.shards.values()) {
        const [master] = shard.nodes
        if (!master) continue
        if (!connections.has(addressKey(master)) && !isAvoided(master)) open(master)
        if (connectionsOf(shard).length === 0) open(leastFailed(shard, master))
        const atMaster = connections.get(addressKey(master))
        for (const each of atMaster?.open ? [atMaster] : connectionsOf(shard)) wanted.add(each)
      }
      for (const [key, each] of connections) {
        if (wanted.has(each) || timers.monotonic() < each.keepUntilMs) continue
        connections.delete(key)
        const wasOpen = each.open
        each.open = false
        each.connection.destroy(new Error('It is not needed any more'))
        if (wasOpen) options.onClosed(each, new Error('Another node has its slots'))
      }
    },

    /** Asks every node that is known which slots there are. */
    async askAll(table: SlotTable | undefined): Promise<SlotTable[]> {
      const known = new Map<string, NodeAddress>()
      for (const { host = '', port = 0 } of seeds) known.set(addressKey({ host, port }), { host, port })
      for (const { nodes } of table?.shards.values() ?? [])
        for (const address of nodes) known.set(addressKey(address), address)
      return enough([...known.values()].map(ask))
    },

    /** Asks a few, by connections that are open anyway. */
    glance(): Promise<SlotTable[]> {
      const open = [...connections.values()].filter((each) => each.open)
      turn += 1
      const some = open.map((_each, index) => open[(index + turn) % open.length]).slice(0, glances)
      return enough(some.flatMap((each) => (each ? [tableFrom(each.connection, addressOf(each.key))] : [])))
    },

    /** Each server answers in time, or its connection is closed. */
    ping(): void {
      for (const { connection } of connections.values())
        connection.call('PING').catch(() => {
          // It was closed, and that was told.
        })
    },

    close(): void {
      for (const { connection } of [...connections.values()]) connection.destroy(new Error('The link was closed'))
    },
  }

  function leastFailed({ nodes }: Shard, master: NodeAddress): NodeAddress {
    const failed = (address: NodeAddress) => failedAtMs.get(addressKey(address)) ?? 0
    return nodes.reduce((best, each) => (failed(each) < failed(best) ? each : best), master)
  }

  async function ask(address: NodeAddress): Promise<SlotTable> {
    const standing = connections.get(addressKey(address))
    if (standing?.open) return tableFrom(standing.connection, address)
    const connection = openListeningConnection({ server: { ...credentials, ...address }, timeoutMs, timers })
    try {
      await connection.opened
      return await tableFrom(connection, address)
    } finally {
      connection.destroy(new Error('It was asked'))
    }
  }

  /** Resolves to the tables of those who answer, when all have, or most and the others take long. */
  function enough(asked: readonly Promise<SlotTable>[]): Promise<SlotTable[]> {
    const tables: SlotTable[] = []
    return new Promise((resolve) => {
      let left = asked.length
      const finish = () => resolve(tables)
      if (left === 0) return finish()
      const settled = () => {
        left -= 1
        if (left === 0) finish()
        else if (2 * tables.length > asked.length) timers.start(stragglersMs, finish)
      }
      for (const each of asked)
        each.then(
          (table) => {
            tables.push(table)
            settled()
          },
          () => settled(),
        )
    })
  }
}

async function tableFrom(connection: ListeningConnection, address: NodeAddress): Promise<SlotTable> {
  return readSlotTable(await connection.call('CLUSTER', 'SLOTS'), address)
}

function addressOf(key: string): NodeAddress {
  const at = key.lastIndexOf(':')
  return { host: key.slice(0, at), port: Number(key.slice(at + 1)) }
}
