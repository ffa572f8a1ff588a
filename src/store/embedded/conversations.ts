import type { KeyValue } from '../../engine/key-value/key-value.ts'
import type { ConversationStore } from '../../ports/conversations.ts'
import { retentionColumnsOf, toConversation, toItem, withMember } from '../rows/conversation-row.ts'
import { createEmbeddedTable } from './table.ts'

export function createConversationsEmbedded(engine: KeyValue): ConversationStore {
  const table = createEmbeddedTable(engine, 'conversations')

  return {
    async create(conversation) {
      const item = toItem(conversation)
      await table.update(item, (standing) => (standing ? 'keep' : item))
    },

    getMany: async (ids) => table.getMany(ids.map((id) => ({ conversation_id: id }))).map(toConversation),

    async setMetadata(id, metadata) {
      await table.update({ conversation_id: id }, (standing) => {
        if (standing?.kind !== 'DIRECT') return 'keep'
        const { metadata: _before, ...rest } = standing
        return { ...rest, ...(metadata !== undefined && { metadata }) }
      })
    },

    async replaceMember(id, userId, pseudonym) {
      await table.update({ conversation_id: id }, (standing) =>
        standing?.kind === 'DIRECT'
          ? { ...standing, members: withMember(standing.members, userId, pseudonym) }
          : 'keep',
      )
    },

    async replace(group, version) {
      const item = toItem(group)
      const { changed } = await table.update(item, (standing) =>
        standing?.version === version ? { ...item, ...retentionColumnsOf(standing) } : 'keep',
      )
      return changed
    },

    async setRetention(id, days) {
      await table.update({ conversation_id: id }, (standing) => {
        if (!standing) return 'keep'
        const { retention_days: _before, ...rest } = standing
        return { ...rest, ...(days !== undefined && { retention_days: days }) }
      })
    },

    async raiseFloor(id, seq, days) {
      await table.update({ conversation_id: id }, (standing) =>
        standing?.retention_days === days && (standing.floor_seq ?? 0) < seq ? { ...standing, floor_seq: seq } : 'keep',
      )
    },

    async noteEmptied(id, seq) {
      await table.update({ conversation_id: id }, (standing) =>
        standing && (standing.emptied_seq ?? 0) < seq ? { ...standing, emptied_seq: seq } : 'keep',
      )
    },
  }
}
