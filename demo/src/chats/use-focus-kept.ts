import { useEffect } from 'react'
import { chatLinkId } from './chat-link.tsx'

/** A chat that goes from one list to the other takes the focus with it; into a closed fold it cannot, and the fold has it. */
export function useFocusKept(key: string | undefined, archived: boolean | undefined): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: when it has moved.
  useEffect(() => {
    if (!key || document.activeElement !== document.body) return
    document.getElementById(chatLinkId(key))?.focus()
    if (document.activeElement === document.body) document.getElementById('archived')?.focus()
  }, [archived])
}
