import type { KeyValue } from '../../engine/key-value/key-value.ts'
import type { RestrictionStore } from '../../ports/restrictions.ts'
import {
  banItem,
  banKey,
  keyOf,
  revocationItem,
  revocationKey,
  toRestriction,
  versionKey,
} from '../rows/restriction-row.ts'
import { createEmbeddedTable } from './table.ts'

export function createRestrictionsEmbedded(engine: KeyValue): RestrictionStore {
  const table = createEmbeddedTable(engine, 'restrictions')

  return {
    async putBan(ban) {
      await table.update(banKey(ban.userId), () => banItem(ban))
    },

    async removeBan(userId) {
      await table.update(banKey(userId), () => 'remove')
    },

    async putRevocation(revocation) {
      const item = revocationItem(revocation)
      const { row } = await table.update(item, (standing) =>
        (standing?.issued_before ?? '') < item.issued_before ? item : 'keep',
      )
      return { ...revocation, issuedBeforeMs: Date.parse(row?.issued_before ?? item.issued_before) }
    },

    async getMany(userIds) {
      return table.getMany(userIds.flatMap((userId) => [banKey(userId), revocationKey(userId)])).map(toRestriction)
    },

    page: async (after, limit) =>
      table.query('all', { ...(after && { above: keyOf(after).restriction_key }), limit }).map(toRestriction),

    version: async () => table.get(versionKey)?.version ?? 0,

    async raiseVersion() {
      const { row } = await table.update(versionKey, (standing) => ({
        ...versionKey,
        version: (standing?.version ?? 0) + 1,
      }))
      return row?.version ?? 1
    },
  }
}
