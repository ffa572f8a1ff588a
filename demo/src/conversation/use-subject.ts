import type { ConversationFieldsFragment, Recipient } from '@parley/client'
import { useChat, useConversation, useConversations } from '@parley/client/react'
import { useEffect, useMemo, useRef } from 'react'
import { chatTitle, otherOf, personTitle } from '../chats/chat-names.ts'
import type { Person } from '../people.ts'

/** Describes the other side of a chat, whether the chat exists already or not. */
export type Subject = {
  title: string
  /** The other person of a direct chat. */
  other?: Person
  conversation?: ConversationFieldsFragment
  /** It is not known yet whether the chat exists. */
  pending: boolean
}

export function useSubject(to: Recipient): Subject {
  const { userId: viewer } = useChat()
  const { loading } = useConversations()
  const conversation = useConversation(to)
  const userId = 'userId' in to ? to.userId : undefined
  const subject = useMemo(() => {
    const known = conversation && otherOf(conversation, viewer)
    const other = known ?? (userId ? { id: userId } : undefined)
    const title = conversation ? chatTitle(conversation, viewer) : other && personTitle(other, viewer)
    return { title, pending: !conversation && loading, ...(other && { other }), ...(conversation && { conversation }) }
  }, [conversation, loading, userId, viewer])
  const { title } = subject
  // The title of a group stays after the user has left it.
  const lastTitle = useRef<string>(undefined)
  useEffect(() => {
    lastTitle.current = title ?? lastTitle.current
  }, [title])
  return { ...subject, title: title ?? lastTitle.current ?? 'Chat' }
}
