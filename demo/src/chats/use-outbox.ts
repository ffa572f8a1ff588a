import type { Outgoing } from '@parley/client'
import { useChat } from '@parley/client/react'
import { useSyncExternalStore } from 'react'

export function useOutbox(): readonly Outgoing[] {
  const { outbox } = useChat()
  return useSyncExternalStore(outbox.subscribe, outbox.get)
}
