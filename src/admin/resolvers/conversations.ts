import type { Conversation, Role } from '../../ports/conversations.ts'
import type { Seq, UserId } from '../../protocol/ids.ts'
import type { Connection } from '../../resolvers/connection.ts'
import type { AdminContext } from './context.ts'
import { notBuilt } from './not-built.ts'

/** `metadata` is the text of a JSON object. */
export type AdminConversation = Conversation & { metadata?: string }
export type AdminMember = {
  userId: UserId
  role: Role
  joinedSeq: Seq
  lastDeliveredSeq: Seq
  lastReadSeq: Seq
}
type Ids = readonly string[] | null | undefined
type Answer = Promise<{ conversation: AdminConversation }>

export function findConversation(_ctx: AdminContext, _id: string): Promise<AdminConversation | null> {
  throw notBuilt('conversation')
}

export function conversationsOf(
  _ctx: AdminContext,
  _args: { userId: string; first?: number | null | undefined; after?: string | null | undefined },
): Promise<Connection<AdminConversation>> {
  throw notBuilt('conversationsOf')
}

export function membersOf(_ctx: AdminContext, _conversation: AdminConversation): Promise<AdminMember[]> {
  throw notBuilt('members')
}

export function lastSeqOf(_ctx: AdminContext, _conversation: AdminConversation): Promise<Seq> {
  throw notBuilt('lastSeq')
}

export function createGroup(
  _ctx: AdminContext,
  _input: { clientGroupId: string; title: string; ownerId: string; memberIds: readonly string[]; metadata?: unknown },
): Answer {
  throw notBuilt('createGroup')
}

export function updateMembers(_ctx: AdminContext, _input: { conversationId: string; add?: Ids; remove?: Ids }): Answer {
  throw notBuilt('updateMembers')
}

export function updateConversation(
  _ctx: AdminContext,
  _input: { conversationId: string; title?: string | null | undefined; metadata?: unknown },
): Answer {
  throw notBuilt('updateConversation')
}
