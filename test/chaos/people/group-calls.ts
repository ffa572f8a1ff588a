import {
  type ConversationFieldsFragment,
  type ConversationQuery,
  CreateGroupDocument,
  type CreateGroupMutation,
  DeleteMessageDocument,
  type DeleteMessageMutation,
  EditMessageDocument,
  type EditMessageMutation,
  LeaveConversationDocument,
  type LeaveConversationMutation,
  ReactDocument,
  type ReactMutation,
  UpdateConversationDocument,
  type UpdateConversationMutation,
  UpdateMembersDocument,
  type UpdateMembersMutation,
} from '../../../packages/client/src/generated/graphql.ts'
import type { ChangeAsk, GroupRequest, GroupSeen, MessageSeen, Outcome } from '../checks/history.ts'
import { mapAnswer, seen } from './client.ts'
import type { Operation } from './connection.ts'

/** Sends one request to one node. */
export type AskNode = <T>(document: Operation, variables: object) => Promise<Outcome<T>>

const groupLook = `query ($id: ID!) {
  conversation(id: $id) { id title memberships { user { id } role joinedSeq } }
}`

export async function askForChange(ask: AskNode, request: ChangeAsk): Promise<Outcome<MessageSeen>> {
  const { alteration, ...target } = request
  if (alteration.type === 'edit') {
    const input = { ...target, body: alteration.body }
    const outcome = await ask<EditMessageMutation>(EditMessageDocument, { input })
    return mapAnswer(outcome, ({ editMessage }) => seen(editMessage.message))
  }
  if (alteration.type === 'delete') {
    const outcome = await ask<DeleteMessageMutation>(DeleteMessageDocument, { input: target })
    return mapAnswer(outcome, ({ deleteMessage }) => seen(deleteMessage.message))
  }
  const { emoji, on } = alteration
  const outcome = await ask<ReactMutation>(ReactDocument, { input: { ...target, emoji, on } })
  return mapAnswer(outcome, ({ react }) => seen(react.message))
}

export async function askForGroup(
  ask: AskNode,
  conversationId: string,
  request: GroupRequest,
): Promise<Outcome<GroupSeen | 'left'>> {
  switch (request.type) {
    case 'create': {
      const { type: _type, ...input } = request
      const outcome = await ask<CreateGroupMutation>(CreateGroupDocument, { input })
      return mapAnswer(outcome, ({ createGroup }) => groupSeen(createGroup.conversation))
    }
    case 'members': {
      const { type: _type, ...changes } = request
      const input = { conversationId, ...changes }
      const outcome = await ask<UpdateMembersMutation>(UpdateMembersDocument, { input })
      return mapAnswer(outcome, ({ updateMembers }) => groupSeen(updateMembers.conversation))
    }
    case 'rename': {
      const input = { conversationId, title: request.title }
      const outcome = await ask<UpdateConversationMutation>(UpdateConversationDocument, { input })
      return mapAnswer(outcome, ({ updateConversation }) => groupSeen(updateConversation.conversation))
    }
    case 'leave': {
      const outcome = await ask<LeaveConversationMutation>(LeaveConversationDocument, { input: { conversationId } })
      return mapAnswer(outcome, () => 'left')
    }
    case 'look': {
      const outcome = await ask<ConversationQuery>(groupLook, { id: conversationId })
      if ('answer' in outcome && !outcome.answer.conversation) return notThere
      return mapAnswer(outcome, ({ conversation }) => (conversation ? groupSeen(conversation) : 'left'))
    }
  }
}

const notThere: Outcome<never> = { refused: { code: 'NOT_FOUND', retryable: false, message: 'conversation is null' } }

type Shown = Pick<ConversationFieldsFragment, 'id' | 'title'> & {
  memberships: readonly {
    user: { id: string }
    role: ConversationFieldsFragment['memberships'][number]['role']
    joinedSeq: number
  }[]
}

export const groupSeen = ({ id, title, memberships }: Shown): GroupSeen => ({
  id,
  title: title ?? '',
  members: memberships.map(({ user, role, joinedSeq }) => ({ userId: user.id, role, joinedSeq })),
})
