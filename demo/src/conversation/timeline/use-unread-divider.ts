import { useChat } from '@parley/client/react'
import { useEffect, useReducer, useRef } from 'react'
import type { Subject } from '../use-subject.ts'
import type { Divider } from './rows.ts'
import { nextDivider } from './unread-divider.ts'

/** Counts the messages that waited when the chat was opened, or arrived while the user did not look: "3 new messages". */
export function useUnreadDivider(
  { conversation, pending }: Subject,
  conversationId: string | undefined,
  attended: boolean,
): Divider | undefined {
  const chat = useChat()
  const [state, tell] = useReducer(nextDivider, undefined)
  const looking = useRef(attended)
  const opened = useRef(false)
  const fromNothing = useRef(false)
  useEffect(() => {
    if (opened.current || pending) return
    if (!conversation) {
      fromNothing.current = true
      return
    }
    opened.current = true
    // A chat that begins while the user looks has nothing unread.
    if (fromNothing.current && looking.current) return
    const own = conversation.ticks.find(({ userId }) => userId === chat.userId)
    const lastReadSeq = own?.lastReadSeq ?? 0
    const lastSeq = conversation.lastMessage?.seq ?? 0
    tell({ type: 'opened', lastReadSeq, lastSeq, unread: conversation.unreadCount, attended: looking.current })
  }, [chat, conversation, pending])
  useEffect(() => {
    looking.current = attended
    if (attended) tell({ type: 'attended' })
  }, [attended])
  useEffect(
    () =>
      chat.onMessage((message) => {
        if (message.conversationId !== conversationId) return
        if (message.sender.id === chat.userId) tell({ type: 'wrote' })
        else tell({ type: 'arrived', seq: message.seq, attended: looking.current })
      }),
    [chat, conversationId],
  )
  return state
}
