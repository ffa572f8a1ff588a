import type { KeyValue } from '../../engine/key-value/key-value.ts'
import type { Lease, Leases } from '../../ports/leases.ts'
import { taken, toItem, toLease } from '../rows/lease-row.ts'
import { createEmbeddedTable } from './table.ts'

export function createLeasesEmbedded(engine: KeyValue): Leases {
  const table = createEmbeddedTable(engine, 'leases')

  async function setUntil({ name, holder, version }: Lease, untilMs: number): Promise<Lease | undefined> {
    const { row } = await table.update({ lease_name: name }, (standing) =>
      standing?.holder === holder && standing.version === version ? { ...standing, held_until_ms: untilMs } : 'keep',
    )
    return row?.holder === holder && row.version === version ? toLease(row) : undefined
  }

  return {
    async take(name, holder, time) {
      let lease: Lease | undefined
      await table.update({ lease_name: name }, (standing) => {
        lease = taken(standing, name, holder, time)
        return lease ? toItem(lease) : 'keep'
      })
      return lease
    },

    hold: setUntil,

    async end(lease) {
      await setUntil(lease, 0)
    },

    getMany: async (names) => table.getMany(names.map((name) => ({ lease_name: name }))).map(toLease),

    async remove(name) {
      await table.update({ lease_name: name }, () => 'remove')
    },
  }
}
