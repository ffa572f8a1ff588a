import { useChat } from '@parley/client/react'
import { archive, mute, pin, setBlocked } from '@parley/client/settings'
import { useState } from 'react'
import { problemWords } from '../parts/problem-words.ts'
import type { ChatItem } from './chat-items.ts'

const hourMs = 3_600_000
/** The latest date that every date parser accepts. */
const always = new Date('9999-12-31T00:00:00.000Z')

type MuteFor = 'hours' | 'always' | 'no longer'

/** Changes the settings of a chat. `problem` says why the last change was refused. */
export function useSettings() {
  const chat = useChat()
  const [problem, setProblem] = useState<string>()
  function settle(change: Promise<void>): void {
    setProblem(undefined)
    change.catch((error: unknown) => setProblem(problemWords(error)))
  }
  const until = { hours: () => new Date(Date.now() + 8 * hourMs), always: () => always, 'no longer': () => null }
  return {
    problem,
    dismiss: () => setProblem(undefined),
    pin: ({ conversationId, pinned }: ChatItem) => conversationId && settle(pin(chat, conversationId, !pinned)),
    archive: ({ conversationId, archived }: ChatItem) =>
      conversationId && settle(archive(chat, conversationId, !archived)),
    mute: ({ conversationId }: ChatItem, how: MuteFor) =>
      conversationId && settle(mute(chat, conversationId, until[how]())),
    block: (userId: string, blocked: boolean) => settle(setBlocked(chat, userId, blocked)),
  }
}
