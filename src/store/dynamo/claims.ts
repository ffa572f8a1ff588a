import type { Claim, Claims } from '../../ports/log.ts'
import { unavailable } from '../../protocol/errors.ts'
import type { ClientMessageId, UserId } from '../../protocol/ids.ts'
import { type ClaimRows, claimRowsDefault, toClaim, toItem, toKey } from '../rows/claim-row.ts'
import type { Dynamo } from '../rows/tables.ts'
import { createDynamoTable } from './table.ts'

export function createClaimsDynamo(dynamo: Dynamo, rows: ClaimRows = claimRowsDefault): Claims {
  const table = createDynamoTable(dynamo, 'sends')

  async function get(senderId: UserId, clientMessageId: ClientMessageId): Promise<Claim | undefined> {
    const item = await table.get(toKey(senderId, clientMessageId))
    return item && toClaim(item)
  }

  return {
    async claim(claim) {
      const item = toItem(claim, rows, dynamo.clock.now())
      if (await table.put(item, { where: 'attribute_not_exists(send_key)' })) return claim
      // An earlier send has the claim, or this put was tried twice. The stored claim is the answer in both cases.
      const standing = await get(claim.senderId, claim.clientMessageId)
      if (!standing) throw unavailable(new Error('A claim was there and is gone.'))
      return standing
    },

    get,

    async move({ senderId, clientMessageId, seq }, toSeq) {
      const condition = { where: 'seq = :from', values: { ':from': seq } }
      const moved = await table.set(toKey(senderId, clientMessageId), { seq: toSeq }, condition)
      return moved !== undefined
    },

    async remove(senderId, clientMessageId) {
      await table.remove(toKey(senderId, clientMessageId), { where: 'attribute_exists(send_key)' })
    },
  }
}
