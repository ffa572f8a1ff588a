import type { RestrictionStore } from '../../ports/restrictions.ts'
import { unavailable } from '../../protocol/errors.ts'
import {
  banItem,
  banKey,
  keyOf,
  revocationItem,
  revocationKey,
  toRestriction,
  versionKey,
} from '../rows/restriction-row.ts'
import type { Dynamo } from '../rows/tables.ts'
import { createDynamoTable } from './table.ts'

/** Each further attempt means that somebody else has raised the version. */
const attemptsMax = 50

export function createRestrictionsDynamo(dynamo: Dynamo): RestrictionStore {
  const table = createDynamoTable(dynamo, 'restrictions')

  const version = async (): Promise<number> => (await table.get(versionKey))?.version ?? 0

  return {
    async putBan(ban) {
      await table.put(banItem(ban))
    },

    async removeBan(userId) {
      await table.remove(banKey(userId), { where: 'attribute_exists(user_id)' })
    },

    async putRevocation(revocation) {
      const item = revocationItem(revocation)
      // Texts of this form are in the order of time.
      const isLater = 'attribute_not_exists(user_id) OR issued_before < :before'
      if (await table.put(item, { where: isLater, values: { ':before': item.issued_before } })) return revocation
      const standing = await table.get(revocationKey(revocation.userId))
      const { issued_before: before } = standing ?? item
      return { ...revocation, issuedBeforeMs: Date.parse(before ?? item.issued_before) }
    },

    async getMany(userIds) {
      const keys = userIds.flatMap((userId) => [banKey(userId), revocationKey(userId)])
      return (await table.getMany(keys)).map(toRestriction)
    },

    async page(after, limit) {
      const items = await table.query({
        where: 'list_name = :all AND restriction_key > :after',
        values: { ':all': 'all', ':after': after ? keyOf(after).restriction_key : ' ' },
        limit,
      })
      return items.map(toRestriction)
    },

    version,

    async raiseVersion() {
      for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
        const standing = await version()
        const condition =
          standing === 0
            ? { where: 'attribute_not_exists(version)' }
            : { where: 'version = :standing', values: { ':standing': standing } }
        if (await table.set(versionKey, { version: standing + 1 }, condition)) return standing + 1
      }
      throw unavailable(new Error('Others kept raising the version.'))
    },
  }
}
