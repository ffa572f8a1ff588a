import type { Member } from '../domain/conversations/access.ts'
import { isIn } from '../domain/conversations/access.ts'
import { badInput } from '../protocol/errors.ts'
import type { UserId } from '../protocol/ids.ts'
import { nodesMax } from '../protocol/limits.ts'
import { kindOfMemberNode, parseMemberNodeId } from '../protocol/member-node-ids.ts'
import type { MemberBoundaries } from '../protocol/ticks.ts'
import { type Context, viewerId } from './context.ts'
import { findConversation } from './conversations/conversations.ts'
import { type GroupMember, membershipOf } from './conversations/groups.ts'

type NodeKind = 'Conversation' | 'Message' | 'Ticks' | 'Member' | 'User'

/** Tells the type of a node by the form of its id. An id that has none of the other forms is a user's. */
export function kindOfNode(id: string): NodeKind {
  if (id.startsWith('msg_')) return 'Message'
  if (id.startsWith('dm_') || id.startsWith('grp_')) return 'Conversation'
  return kindOfMemberNode(id) ?? 'User'
}

/** Checks the number of ids before any of them is looked up. */
export function findNodes<Found>(
  ctx: Context,
  ids: readonly unknown[],
  load: () => Promise<readonly Found[]>,
): Promise<readonly Found[]> {
  viewerId(ctx)
  if (ids.length > nodesMax) throw badInput('ids', `ids takes at most ${nodesMax} ids.`)
  return load()
}

/** Returns the boundaries of a member to members of the same conversation. */
export async function findTicks(ctx: Context, nodeId: string): Promise<MemberBoundaries | null> {
  const found = await findPart(ctx, nodeId)
  if (!found) return null
  const { viewer, userId } = found
  return ctx.loaders.boundaries.load({ conversationId: viewer.conversation.id, userId })
}

export async function findMember(ctx: Context, nodeId: string): Promise<GroupMember | null> {
  const found = await findPart(ctx, nodeId)
  return found && membershipOf(found.viewer, found.userId)
}

/** Returns the viewer's own membership and whose node it is, or null if either of the two is not in the conversation. */
async function findPart(ctx: Context, nodeId: string): Promise<{ viewer: Member; userId: UserId } | null> {
  viewerId(ctx)
  const part = parseMemberNodeId(nodeId)
  const viewer = part && (await findConversation(ctx, part.conversationId))
  return viewer && isIn(part.userId, viewer.conversation) ? { viewer, userId: part.userId } : null
}
