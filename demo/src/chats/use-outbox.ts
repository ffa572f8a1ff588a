import { useSyncExternalStore } from 'react'
import type { Outgoing } from '../../../src/client/index.ts'
import { useChat } from '../../../src/client/react/hooks.tsx'

export function useOutbox(): readonly Outgoing[] {
  const { outbox } = useChat()
  return useSyncExternalStore(outbox.subscribe, outbox.get)
}
