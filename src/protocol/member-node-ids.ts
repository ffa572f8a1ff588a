import { type ConversationId, isConversationId, isUserId, type UserId } from './ids.ts'

// The ids of what belongs to one member of one conversation: their boundaries (`tck_`) and their membership (`mbr_`). A user's id may
// begin with either, but has no '~', and neither has a conversation's. So no such id is also that of something else.

export type MemberPart = { conversationId: ConversationId; userId: UserId }

const rule = /^(tck|mbr)_([^~]+)~([^~]+)$/

export const ticksNodeId = ({ conversationId, userId }: MemberPart): string => `tck_${conversationId}~${userId}`

export const memberNodeId = ({ conversationId, userId }: MemberPart): string => `mbr_${conversationId}~${userId}`

export function kindOfMemberNode(id: string): 'Ticks' | 'Member' | undefined {
  const [, prefix] = rule.exec(id) ?? []
  if (prefix === undefined) return undefined
  return prefix === 'tck' ? 'Ticks' : 'Member'
}

export function parseMemberNodeId(id: string): MemberPart | undefined {
  const [, , conversationId, userId] = rule.exec(id) ?? []
  return isConversationId(conversationId) && isUserId(userId) ? { conversationId, userId } : undefined
}
