import type { Conversation, ConversationStore } from '../domain/ports.ts'
import { createDynamoTable } from './dynamo-table.ts'
import type { Dynamo, Item } from './tables.ts'

export function createConversationsDynamo(dynamo: Dynamo): ConversationStore {
  const table = createDynamoTable(dynamo, 'conversations')

  return {
    async create({ id, kind, members, title }) {
      await table.put(
        { conversation_id: id, kind, members: [...members], title },
        { where: 'attribute_not_exists(conversation_id)' },
      )
    },

    async getMany(ids) {
      return (await table.getMany(ids.map((id) => ({ conversation_id: id })))).map(toConversation)
    },
  }
}

const toConversation = ({ conversation_id: id, kind, members, title }: Item<'conversations'>): Conversation =>
  title === undefined ? { id, kind, members } : { id, kind, members, title }
