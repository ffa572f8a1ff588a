import type { Chat } from './chat.ts'
import {
  type ConversationFieldsFragment,
  CreateGroupDocument,
  LeaveConversationDocument,
  type Role,
  UpdateConversationDocument,
  UpdateMembersDocument,
  type UpdateMembersInput,
} from './generated/graphql.ts'
import { ClientError } from './shared/client-error.ts'

// Applications import this as `@parley/client/groups`. Every call is repeated until it is answered, and rejects if the server refuses it
// for good: with FORBIDDEN if the user lacks the role, with NOT_FOUND if they are not in the group.

export type { Role }
export type Group = ConversationFieldsFragment
export type MemberChanges = Omit<UpdateMembersInput, 'conversationId'>

/** Creates a group with the user as its owner. Repeated attempts create it once. */
export const createGroup = (chat: Chat, title: string, memberIds: readonly string[]): Promise<Group> =>
  chat.change(async (clientGroupId) => {
    const input = { clientGroupId, title, memberIds: [...memberIds] }
    return (await chat.ask(CreateGroupDocument, { input })).createGroup
  })

export const updateMembers = (chat: Chat, conversationId: string, changes: MemberChanges): Promise<Group> =>
  chat.change(
    async () => (await chat.ask(UpdateMembersDocument, { input: { ...changes, conversationId } })).updateMembers,
  )

export const renameGroup = (chat: Chat, conversationId: string, title: string): Promise<Group> =>
  chat.change(
    async () => (await chat.ask(UpdateConversationDocument, { input: { conversationId, title } })).updateConversation,
  )

/** Leaves the group. NOT_FOUND counts as success: an earlier attempt whose answer was lost, or another member, has removed the user. */
export async function leaveGroup(chat: Chat, conversationId: string): Promise<void> {
  try {
    await chat.insist(() => chat.ask(LeaveConversationDocument, { input: { conversationId } }))
  } catch (error) {
    if (!(error instanceof ClientError) || error.code !== 'NOT_FOUND') throw error
  }
  chat.drop(conversationId)
}
