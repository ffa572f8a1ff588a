import { useChat } from '@parley/client/react'
import { useEffect, useRef } from 'react'

/** Marks messages as read when the user looks at the newest one, and not before. */
export function useMarkRead(conversationId: string | undefined, seq: number, attended: boolean): void {
  const chat = useChat()
  const marked = useRef(0)
  useEffect(() => {
    if (!conversationId || !attended || seq <= marked.current) return
    marked.current = seq
    chat.markRead(conversationId, seq)
  }, [chat, conversationId, seq, attended])
}
