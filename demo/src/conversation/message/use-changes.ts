import type { MessageFieldsFragment } from '@parley/client'
import { useChat } from '@parley/client/react'
import { useCallback, useState } from 'react'
import type { PendingChange } from './pending-changes.ts'

export type Changes = {
  edit(message: MessageFieldsFragment, body: string): void
  remove(message: MessageFieldsFragment): void
  react(message: MessageFieldsFragment, emoji: string, on: boolean): void
  /** Changes that are not answered yet. */
  pending: readonly PendingChange[]
  /** The server's reason for refusing the last change. */
  problem: string | undefined
  dismiss(): void
}

export function useChanges(): Changes {
  const chat = useChat()
  const [pending, setPending] = useState<readonly PendingChange[]>([])
  const [problem, setProblem] = useState<string>()
  const make = useCallback((change: PendingChange, answered: Promise<void>) => {
    setProblem(undefined)
    setPending((others) => [...others, change])
    answered
      .catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)))
      .finally(() => setPending((all) => all.filter((each) => each !== change)))
  }, [])
  return {
    edit: ({ conversationId, seq }, body) => make({ type: 'edit', seq, body }, chat.edit(conversationId, seq, body)),
    remove: ({ conversationId, seq }) => make({ type: 'remove', seq }, chat.remove(conversationId, seq)),
    react: ({ conversationId, seq }, emoji, on) =>
      make({ type: 'react', seq, emoji, on }, chat.react(conversationId, seq, emoji, on)),
    pending,
    problem,
    dismiss: () => setProblem(undefined),
  }
}
