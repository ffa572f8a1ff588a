import { useEffect } from 'react'
import { chatLinkId } from './chat-link.tsx'

/** Keeps the focus on a chat that moves to the other list. If it moves into a closed fold, the fold gets the focus. */
export function useFocusKept(key: string | undefined, archived: boolean | undefined): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs when the chat has moved.
  useEffect(() => {
    if (!key || document.activeElement !== document.body) return
    document.getElementById(chatLinkId(key))?.focus()
    if (document.activeElement === document.body) document.getElementById('archived')?.focus()
  }, [archived])
}
