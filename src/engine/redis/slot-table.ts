import { Command } from 'ioredis'
import type { RespValue } from './resp.ts'

export const slotCount = 16_384

export type NodeAddress = { host: string; port: number }

/** A master and its replicas, in this order. */
export type Shard = { id: string; nodes: readonly NodeAddress[] }

/** Which shard has which slot. */
export type SlotTable = { shards: ReadonlyMap<string, Shard>; owners: readonly (string | undefined)[] }

export const addressKey = ({ host, port }: NodeAddress): string => `${host}:${port}`

export const slotOf = (key: string): number => new Command('get', [key]).getSlot() ?? 0

/** Reads the answer to CLUSTER SLOTS. A node that does not know its own address means the one it was asked at. */
export function readSlotTable(answer: RespValue, askedAt: NodeAddress): SlotTable {
  const shards = new Map<string, Shard>()
  const owners: (string | undefined)[] = Array(slotCount).fill(undefined)
  if (!Array.isArray(answer)) throw new Error('CLUSTER SLOTS was answered by something else')
  for (const range of answer as [number, number, ...[string | null, number, string][]][]) {
    const [from, to, ...nodes] = range
    const id = nodes[0]?.[2]
    if (id === undefined) continue
    shards.set(id, { id, nodes: nodes.map(([host, port]) => ({ host: host || askedAt.host, port })) })
    owners.fill(id, from, to + 1)
  }
  return { shards, owners }
}

/**
 * Makes one table of what several nodes say: each slot belongs to whom most of them say. So a node that was taken out of the cluster, or cut off
 * from it, and goes on saying what it last knew, is outvoted.
 */
export function majorityOf(tables: readonly SlotTable[]): SlotTable {
  const [first] = tables
  if (!first) throw new Error('No node of the cluster says which slots there are')
  const owners = first.owners.map((owner, slot) => {
    if (tables.every((table) => table.owners[slot] === owner)) return owner
    const votes = new Map<string | undefined, number>()
    for (const table of tables) votes.set(table.owners[slot], (votes.get(table.owners[slot]) ?? 0) + 1)
    return [...votes].reduce((best, each) => (each[1] > best[1] ? each : best))[0]
  })
  const ids = new Set(owners.filter((owner) => owner !== undefined))
  const shards = new Map<string, Shard>()
  for (const id of ids) {
    const claims = tables.flatMap((table) => table.shards.get(id) ?? [])
    // Nodes learn of a replica one after the other: whoever names most is the furthest.
    shards.set(
      id,
      claims.reduce((best, each) => (each.nodes.length > best.nodes.length ? each : best)),
    )
  }
  return { shards, owners }
}

export const isSameTable = (one: SlotTable, other: SlotTable): boolean =>
  one.owners.every((owner, slot) => owner === other.owners[slot])
