import type { Conversation, ConversationStore, GroupMember, Role } from '../../ports/conversations.ts'
import { createDynamoTable } from './table.ts'
import type { Dynamo, Item, Key } from './tables.ts'

export function createConversationsDynamo(dynamo: Dynamo): ConversationStore {
  const table = createDynamoTable(dynamo, 'conversations')

  return {
    async create(conversation) {
      await table.put(toItem(conversation), { where: 'attribute_not_exists(conversation_id)' })
    },

    async getMany(ids) {
      return (await table.getMany(ids.map((id) => ({ conversation_id: id })))).map(toConversation)
    },

    replace: (group, version) => table.put(toItem(group), { where: 'version = :from', values: { ':from': version } }),
  }
}

function toItem(conversation: Conversation): Key<'conversations'> & Partial<Item<'conversations'>> {
  const { id, kind, members } = conversation
  const common = { conversation_id: id, kind, members: [...members] }
  if (conversation.kind === 'DIRECT') return common
  const { title, membersById, version, pastVersions } = conversation
  const inOrder = members.map((userId) => membersById.get(userId) ?? withoutRow)
  return {
    ...common,
    title,
    roles: inOrder.map(({ role }) => role),
    joined_seqs: inOrder.map(({ joinedSeq }) => joinedSeq),
    version,
    past_versions: [...pastVersions],
  }
}

function toConversation(item: Item<'conversations'>): Conversation {
  const { conversation_id: id, kind, members } = item
  if (kind === 'DIRECT') return { id, kind, members }
  const { title = '', roles = [], joined_seqs = [], version = 0, past_versions: pastVersions = [] } = item
  const memberAt = (i: number): GroupMember => ({
    role: roles[i] ?? withoutRow.role,
    joinedSeq: joined_seqs[i] ?? withoutRow.joinedSeq,
  })
  const membersById = new Map(members.map((userId, i) => [userId, memberAt(i)]))
  return { id, kind, title, members, membersById, version, pastVersions }
}

const withoutRow: GroupMember = { role: 'MEMBER' satisfies Role, joinedSeq: 0 }
