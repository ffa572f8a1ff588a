import { useEffect, useRef } from 'react'
import { useChat } from '../../../src/client/react/hooks.tsx'

/** Says "read" when somebody looks at the newest message, and not before. */
export function useMarkRead(conversationId: string | undefined, seq: number, attended: boolean): void {
  const chat = useChat()
  const marked = useRef(0)
  useEffect(() => {
    if (!conversationId || !attended || seq <= marked.current) return
    marked.current = seq
    chat.markRead(conversationId, seq)
  }, [chat, conversationId, seq, attended])
}
