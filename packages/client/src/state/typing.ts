import { SetTypingDocument, type TypingChangedSubscription } from '../generated/graphql.ts'
import type { Ask } from '../link/link.ts'
import { createListeners } from '../shared/observable.ts'
import { createWatched } from './watched.ts'

/** The server passes it on this often. */
const throttleMs = 2000
const nobodyTyping: readonly string[] = []

export type TypingState = ReturnType<typeof createTyping>

/** Keeps who is typing in watched conversations. Nothing of it is stored, and nothing is sent twice. */
export function createTyping(ask: Ask, now: () => number) {
  const writing = new Map<string, readonly string[]>()
  const said = new Map<string, number>()
  const changed = createListeners<[conversationId: string]>()
  const watched = createWatched()

  function put(conversationId: string, userIds: readonly string[]): void {
    if (userIds.length > 0) writing.set(conversationId, userIds)
    else writing.delete(conversationId)
    changed.emit(conversationId)
  }

  function say(conversationId: string, typing: boolean): void {
    const saidAtMs = said.get(conversationId)
    if (typing ? saidAtMs !== undefined && now() - saidAtMs < throttleMs : saidAtMs === undefined) return
    if (typing) said.set(conversationId, now())
    else said.delete(conversationId)
    ask(SetTypingDocument, { input: { conversationId, typing } }).catch(() => undefined)
  }

  return {
    watched,
    of: (conversationId: string): readonly string[] => writing.get(conversationId) ?? nobodyTyping,
    onChange: changed.add,
    handleEvent(conversationId: string, { userId, typing }: TypingChangedSubscription['typingChanged']): void {
      const others = (writing.get(conversationId) ?? nobodyTyping).filter((each) => each !== userId)
      put(conversationId, typing ? [...others, userId] : others)
    },
    /** Forgets who is typing, because the stream has ended. */
    lost(conversationId: string): void {
      if (writing.has(conversationId)) put(conversationId, nobodyTyping)
    },
    say,
    /** A message says that its writer has stopped. */
    sent: (conversationId: string): void => void said.delete(conversationId),
  }
}
