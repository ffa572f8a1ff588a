import type { Membership, MembershipStore, Settings, SettingsChange } from '../../ports/conversations.ts'
import type { ConversationId, UserId } from '../../protocol/ids.ts'

// user → conversation → membership
export function createMembershipsMemory(): MembershipStore {
  const memberships = new Map<UserId, Map<ConversationId, Membership>>()

  return {
    async addFirst(userIds, membership) {
      for (const userId of userIds) {
        const own = memberships.get(userId) ?? new Map<ConversationId, Membership>()
        memberships.set(userId, own.set(membership.conversationId, { ...membership }))
      }
    },

    async add(userId, membership) {
      const own = memberships.get(userId) ?? new Map<ConversationId, Membership>()
      const standing = own.get(membership.conversationId)
      if (!standing || standing.joinedSeq < membership.joinedSeq) {
        own.set(membership.conversationId, { ...standing, ...membership })
      }
      memberships.set(userId, own)
    },

    async remove(userId, conversationId, seq) {
      const standing = memberships.get(userId)?.get(conversationId)
      if (standing && standing.joinedSeq < seq) memberships.get(userId)?.delete(conversationId)
    },

    async ofUser(userId) {
      return structuredClone([...(memberships.get(userId)?.values() ?? [])])
    },

    async getMany(members) {
      return structuredClone(members.map(({ userId, conversationId }) => memberships.get(userId)?.get(conversationId)))
    },

    async configure({ userId, conversationId }, change) {
      const membership = memberships.get(userId)?.get(conversationId)
      if (!membership) return undefined
      const { settings: before, ...rest } = membership
      const settings = changed(before, change)
      const configured = settings ? { ...rest, settings } : rest
      memberships.get(userId)?.set(conversationId, configured)
      return structuredClone(configured)
    },
  }
}

function changed(before: Settings | undefined, change: SettingsChange): Settings | undefined {
  const { mutedUntilMs = before?.mutedUntilMs, pinned = before?.pinned, archived = before?.archived } = change
  if (mutedUntilMs == null && !pinned && !archived) return undefined
  return { ...(mutedUntilMs != null && { mutedUntilMs }), pinned: pinned === true, archived: archived === true }
}
