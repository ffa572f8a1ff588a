import type { KeyValue } from '../../engine/key-value/key-value.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Claims } from '../../ports/log.ts'
import { type ClaimRows, claimRowsDefault, toClaim, toItem, toKey } from '../rows/claim-row.ts'
import { createEmbeddedTable } from './table.ts'

// A claim is answered before it is on the disk, since an entry that is written after it is there only if the claim is. So the claim and its entry
// wait for one sync. Nobody is told anything by a claim alone: what is acknowledged is the entry.
//
// What a loss of power leaves: both, or the claim alone, which the retry adopts, or neither. Never the entry alone.

export type ClaimOptions = { rows: ClaimRows; clock: Pick<Clock, 'now'> }

/** The clock is asked for rows that expire alone. */
const optionsDefault: ClaimOptions = { rows: claimRowsDefault, clock: { now: () => 0 } }

export function createClaimsEmbedded(engine: KeyValue, { rows, clock }: ClaimOptions = optionsDefault): Claims {
  const table = createEmbeddedTable(engine, 'sends')

  return {
    async claim(claim) {
      const key = toKey(claim.senderId, claim.clientMessageId)
      const { row } = await table.updateAhead(key, (standing) => (standing ? 'keep' : toItem(claim, rows, clock.now())))
      return row ? toClaim(row) : claim
    },

    async get(senderId, clientMessageId) {
      // A claim that is on its way to the disk has been answered already.
      const { row } = await table.updateAhead(toKey(senderId, clientMessageId), () => 'keep')
      return row && toClaim(row)
    },

    async move({ senderId, clientMessageId, seq }, toSeq) {
      const { changed } = await table.updateAhead(toKey(senderId, clientMessageId), (standing) =>
        standing?.seq === seq ? { ...standing, seq: toSeq } : 'keep',
      )
      return changed
    },

    async remove(senderId, clientMessageId) {
      await table.update(toKey(senderId, clientMessageId), () => 'remove')
    },
  }
}
