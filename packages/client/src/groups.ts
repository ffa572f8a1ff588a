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

// What an application imports as `parley/client/groups`. Everything is repeated until it is answered, and rejects with what the
// server refuses for good: FORBIDDEN for whoever lacks the role, NOT_FOUND for whoever is not in the group.

export type { Role }
export type Group = ConversationFieldsFragment
export type MemberChanges = Omit<UpdateMembersInput, 'conversationId'>

/** The user is in it as its owner. However often it must be asked for, it is made once. */
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

/** Whoever has left already, in an attempt whose answer was lost or by somebody else's hand, has left. */
export async function leaveGroup(chat: Chat, conversationId: string): Promise<void> {
  try {
    await chat.insist(() => chat.ask(LeaveConversationDocument, { input: { conversationId } }))
  } catch (error) {
    if (!(error instanceof ClientError) || error.code !== 'NOT_FOUND') throw error
  }
  chat.drop(conversationId)
}
