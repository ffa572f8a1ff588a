import type { Membership, MembershipStore } from '../domain/ports.ts'
import type { ConversationId, UserId } from '../protocol/ids.ts'

// user → conversation → membership
export function createMembershipsMemory(): MembershipStore {
  const memberships = new Map<UserId, Map<ConversationId, Membership>>()

  return {
    async found(userIds, membership) {
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
      return [...(memberships.get(userId)?.values() ?? [])].map((membership) => ({ ...membership }))
    },
  }
}
