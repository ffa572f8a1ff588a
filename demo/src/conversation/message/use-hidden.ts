import { useBlockedUsers } from '@parley/client/react'
import { isHidden } from '@parley/client/settings'
import { useState } from 'react'

type Kind = Parameters<typeof isHidden>[1]

/** Returns which messages of this conversation are hidden, until `reveal` shows one. */
export function useHidden(conversation: Kind | undefined): {
  hides: (key: string, senderId: string) => boolean
  reveal: (key: string) => void
} {
  const blocked = useBlockedUsers()
  const [revealed, setRevealed] = useState<ReadonlySet<string>>(new Set())
  return {
    hides: (key, senderId) =>
      conversation !== undefined && isHidden(blocked, conversation, senderId) && !revealed.has(key),
    reveal: (key) => setRevealed((before) => new Set(before).add(key)),
  }
}
