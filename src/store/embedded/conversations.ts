import type { Conversation, ConversationStore } from '../../ports/conversations.ts'
import type { ConversationId } from '../../protocol/ids.ts'

export function createConversationsMemory(): ConversationStore {
  const conversations = new Map<ConversationId, Conversation>()

  return {
    async create(conversation) {
      if (!conversations.has(conversation.id)) conversations.set(conversation.id, structuredClone(conversation))
    },

    async getMany(ids) {
      const found = [...new Set(ids)].map((id) => conversations.get(id)).filter((row) => row !== undefined)
      return structuredClone(found)
    },

    async replace(group, version) {
      const standing = conversations.get(group.id)
      if (standing?.kind !== 'GROUP' || standing.version !== version) return false
      conversations.set(group.id, structuredClone(group))
      return true
    },
  }
}
