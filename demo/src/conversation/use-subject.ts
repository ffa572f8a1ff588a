import { useEffect, useMemo, useRef } from 'react'
import type { ConversationFieldsFragment } from '../../../src/client/generated/graphql.ts'
import type { Recipient } from '../../../src/client/index.ts'
import { useChat, useConversation, useConversations } from '../../../src/client/react/hooks.tsx'
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
  // Of a group one has left, the name is what remains.
  const lastTitle = useRef<string>(undefined)
  useEffect(() => {
    lastTitle.current = title ?? lastTitle.current
  }, [title])
  return { ...subject, title: title ?? lastTitle.current ?? 'Chat' }
}
