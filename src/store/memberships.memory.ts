import type { Membership, MembershipStore } from '../domain/ports.ts'
import type { ConversationId, UserId } from '../protocol/ids.ts'

// user → conversation → membership
export function createMembershipsMemory(): MembershipStore {
  const memberships = new Map<UserId, Map<ConversationId, Membership>>()

  return {
    async add(userId, membership) {
      const own = memberships.get(userId) ?? new Map<ConversationId, Membership>()
      if (!own.has(membership.conversationId)) own.set(membership.conversationId, { ...membership })
      memberships.set(userId, own)
    },

    async ofUser(userId) {
      return [...(memberships.get(userId)?.values() ?? [])].map((membership) => ({ ...membership }))
    },
  }
}
