import type { Membership, MembershipStore, Settings, SettingsChange } from '../../ports/conversations.ts'
import type { MemberAddress } from '../../ports/delivery.ts'
import { createSharedReads } from './shared-reads.ts'
import { createDynamoTable } from './table.ts'
import type { Dynamo, Item, Key } from './tables.ts'

export function createMembershipsDynamo(dynamo: Dynamo): MembershipStore {
  const table = createDynamoTable(dynamo, 'memberships')
  /** All streams of a user read this at the same time. */
  const sharedReads = createSharedReads<readonly Membership[]>({ patient: true })

  return {
    addFirst: (userIds, { conversationId, joinedSeq }) =>
      table.putMany(
        userIds.map((userId) => ({ user_id: userId, conversation_id: conversationId, joined_seq: joinedSeq })),
      ),

    async add(userId, { conversationId, joinedSeq }) {
      await table.set(
        { user_id: userId, conversation_id: conversationId },
        { joined_seq: joinedSeq },
        { where: 'attribute_not_exists(joined_seq) OR joined_seq < :joined', values: { ':joined': joinedSeq } },
      )
    },

    async remove(userId, conversationId, seq) {
      await table.remove(
        { user_id: userId, conversation_id: conversationId },
        { where: 'joined_seq < :seq', values: { ':seq': seq } },
      )
    },

    ofUser: (userId) =>
      sharedReads(userId, async () => {
        const items = await table.query({ where: 'user_id = :user', values: { ':user': userId } })
        return items.map(toMembership)
      }),

    async getMany(members) {
      const items = await table.getMany(members.map(toKey))
      const found = new Map(items.map((item) => [`${item.user_id} ${item.conversation_id}`, toMembership(item)]))
      return members.map(({ userId, conversationId }) => found.get(`${userId} ${conversationId}`))
    },

    async configure(member, change) {
      // The condition compares the key with a value, as conditions here need at least one value.
      const isThere = { where: 'user_id = :user', values: { ':user': member.userId } }
      const item = await table.set(toKey(member), toColumns(change), isThere)
      return item && toMembership(item)
    },
  }
}

const toKey = ({ userId, conversationId }: MemberAddress): Key<'memberships'> => ({
  user_id: userId,
  conversation_id: conversationId,
})

function toMembership(item: Item<'memberships'>): Membership {
  const { conversation_id: conversationId, joined_seq: joinedSeq } = item
  const settings = toSettings(item)
  return settings ? { conversationId, joinedSeq, settings } : { conversationId, joinedSeq }
}

function toSettings({ muted_until, pinned, archived }: Item<'memberships'>): Settings | undefined {
  if (muted_until === undefined && pinned !== 1 && archived !== 1) return undefined
  return {
    ...(muted_until !== undefined && { mutedUntilMs: Date.parse(muted_until) }),
    pinned: pinned === 1,
    archived: archived === 1,
  }
}

const toColumns = ({ mutedUntilMs, pinned, archived }: SettingsChange): Partial<Item<'memberships'>> => ({
  ...(mutedUntilMs !== undefined && {
    muted_until: mutedUntilMs === null ? undefined : new Date(mutedUntilMs).toISOString(),
  }),
  ...(pinned !== undefined && { pinned: pinned ? 1 : 0 }),
  ...(archived !== undefined && { archived: archived ? 1 : 0 }),
})
