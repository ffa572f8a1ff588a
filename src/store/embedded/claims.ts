import type { KeyValue } from '../../engine/key-value/key-value.ts'
import type { Claims } from '../../ports/log.ts'
import { toClaim, toItem, toKey } from '../rows/claim-row.ts'
import { createEmbeddedTable } from './table.ts'

export function createClaimsEmbedded(engine: KeyValue): Claims {
  const table = createEmbeddedTable(engine, 'sends')

  return {
    async claim(claim) {
      const key = toKey(claim.senderId, claim.clientMessageId)
      const { row } = await table.update(key, (standing) => (standing ? 'keep' : toItem(claim)))
      return row ? toClaim(row) : claim
    },

    async get(senderId, clientMessageId) {
      const item = table.get(toKey(senderId, clientMessageId))
      return item && toClaim(item)
    },

    async move({ senderId, clientMessageId, seq }, toSeq) {
      const { changed } = await table.update(toKey(senderId, clientMessageId), (standing) =>
        standing?.seq === seq ? { ...standing, seq: toSeq } : 'keep',
      )
      return changed
    },
  }
}
