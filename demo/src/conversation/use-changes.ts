import { useCallback, useState } from 'react'
import type { MessageFieldsFragment } from '../../../src/client/generated/graphql.ts'
import { useChat } from '../../../src/client/react/hooks.tsx'
import type { Wish } from './wishes.ts'

export type Changes = {
  edit(message: MessageFieldsFragment, body: string): void
  remove(message: MessageFieldsFragment): void
  react(message: MessageFieldsFragment, emoji: string, on: boolean): void
  /** Not answered yet. */
  wishes: readonly Wish[]
  /** Why the last one was refused, in the server's words. */
  problem: string | undefined
  dismiss(): void
}

export function useChanges(): Changes {
  const chat = useChat()
  const [wishes, setWishes] = useState<readonly Wish[]>([])
  const [problem, setProblem] = useState<string>()
  const make = useCallback((wish: Wish, change: Promise<void>) => {
    setProblem(undefined)
    setWishes((others) => [...others, wish])
    change
      .catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)))
      .finally(() => setWishes((all) => all.filter((each) => each !== wish)))
  }, [])
  return {
    edit: ({ conversationId, seq }, body) => make({ type: 'edit', seq, body }, chat.edit(conversationId, seq, body)),
    remove: ({ conversationId, seq }) => make({ type: 'remove', seq }, chat.remove(conversationId, seq)),
    react: ({ conversationId, seq }, emoji, on) =>
      make({ type: 'react', seq, emoji, on }, chat.react(conversationId, seq, emoji, on)),
    wishes,
    problem,
    dismiss: () => setProblem(undefined),
  }
}
