import type { MessageOrNotice, Notice } from '../../domain/conversations/notices.ts'
import type { ConversationId, UserId } from '../../protocol/ids.ts'
import type { Context } from '../context.ts'
import type { User } from '../people/users.ts'

// A notice stays in the log when the people it names have left. The viewer is then shown who they are only if they still share another
// conversation.

export const actorOf = (ctx: Context, { conversationId, actorId }: Notice): User => named(ctx, conversationId, actorId)

export const usersOf = (ctx: Context, { conversationId, userIds }: Notice): User[] =>
  userIds.map((id) => named(ctx, conversationId, id))

export const senderOf = (ctx: Context, { conversationId, senderId, notice }: MessageOrNotice): User =>
  notice ? named(ctx, conversationId, senderId) : { id: senderId }

/**
 * All viewers of a group's notices know its members: that takes no read, and what is written of a member is shared between viewers. The
 * copy of the group is as new as the check that the viewer is in it. If it is gone, the user is checked.
 */
function named({ domain }: Context, groupId: ConversationId, id: UserId): User {
  return domain.access.copyOf(groupId)?.membersById.has(id) ? { id } : { id, mayBeStranger: true }
}
