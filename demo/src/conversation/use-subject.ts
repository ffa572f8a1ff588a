import { useMemo } from 'react'
import type { ConversationFieldsFragment } from '../../../src/client/generated/graphql.ts'
import type { Recipient } from '../../../src/client/index.ts'
import { useChat, useConversations } from '../../../src/client/react/hooks.tsx'
import { chatTitle, otherOf, personTitle } from '../chats/chat-names.ts'
import type { Person } from '../people.ts'

/** Whom a chat is with, whether it exists already or not. */
export type Subject = {
  title: string
  /** Of a direct chat. */
  other?: Person
  conversation?: ConversationFieldsFragment
  /** Nobody knows yet whether it exists. */
  pending: boolean
}

export function useSubject(to: Recipient): Subject {
  const { userId: viewer } = useChat()
  const { conversations, loading } = useConversations()
  const [userId, conversationId] = 'userId' in to ? [to.userId, undefined] : [undefined, to.conversationId]
  return useMemo(() => {
    const conversation = conversations.find((each) =>
      userId ? otherOf(each, viewer)?.id === userId : each.id === conversationId,
    )
    const known = conversation && otherOf(conversation, viewer)
    const other = known ?? (userId ? { id: userId } : undefined)
    const title = conversation ? chatTitle(conversation, viewer) : other ? personTitle(other, viewer) : 'Chat'
    return { title, pending: !conversation && loading, ...(other && { other }), ...(conversation && { conversation }) }
  }, [conversations, loading, userId, conversationId, viewer])
}
