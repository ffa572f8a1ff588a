import type { Lease, Leases } from '../../ports/leases.ts'
import { taken, toItem, toLease } from '../rows/lease-row.ts'
import type { Dynamo } from '../rows/tables.ts'
import { createDynamoTable } from './table.ts'

export function createLeasesDynamo(dynamo: Dynamo): Leases {
  const table = createDynamoTable(dynamo, 'leases')
  const isStill = ({ holder, version }: Lease) => ({
    where: 'holder = :holder AND version = :version',
    values: { ':holder': holder, ':version': version },
  })

  return {
    async take(name, holder, time) {
      const standing = await table.get({ lease_name: name })
      const lease = taken(standing, name, holder, time)
      if (!lease) return undefined
      // Its holder may have held it for longer since it was read.
      const condition = standing
        ? {
            where: 'version = :version AND held_until_ms = :until',
            values: { ':version': standing.version, ':until': standing.held_until_ms },
          }
        : { where: 'attribute_not_exists(lease_name)' }
      return (await table.put(toItem(lease), condition)) ? lease : undefined
    },

    async hold(lease, untilMs) {
      const item = await table.set({ lease_name: lease.name }, { held_until_ms: untilMs }, isStill(lease))
      return item && toLease(item)
    },

    async end(lease) {
      await table.set({ lease_name: lease.name }, { held_until_ms: 0 }, isStill(lease))
    },

    async getMany(names) {
      return (await table.getMany(names.map((name) => ({ lease_name: name })))).map(toLease)
    },

    async remove(name) {
      await table.remove({ lease_name: name }, { where: 'attribute_exists(lease_name)' })
    },
  }
}
