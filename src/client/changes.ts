import { backoffMs, createSleeper } from './backoff.ts'
import { asClientError } from './client-error.ts'
import {
  DeleteMessageDocument,
  EditMessageDocument,
  type MessageChangedSubscription,
  type MessageFieldsFragment,
  type PositionInput,
  ReactDocument,
} from './generated/graphql.ts'
import type { Keeper } from './keeper.ts'
import type { Ask } from './link/link.ts'

// What happens to messages after they were sent: edits, deletions, reactions. They have a stream of their own, and so a
// position of their own, which begins where the device first met the conversation. Most conversations see no change for a long
// time; so that a resume need not begin years ago, the position follows the messages: whatever was below them long enough ago,
// on a stream that has stood since, would have come.

const changedKey = (conversationId: string): string => `changed:${conversationId}`
/** Three times what the server takes to notice that an event of its own was lost. */
const surelyHeardMs = 90_000

export type ChangesOptions = {
  ask: Ask
  keeper: Keeper
  random: () => number
  randomId: () => string
  /** How far the device has got with messages. */
  messagePositions: () => PositionInput[]
  /** The message as it is now. */
  onChanged: (message: MessageFieldsFragment) => void
}

export type Changes = ReturnType<typeof createChanges>

export function createChanges({ ask, keeper, random, randomId, messagePositions, onChanged }: ChangesOptions) {
  const positions = new Map<string, number>()
  const sleepers = new Set<ReturnType<typeof createSleeper>>()
  let closed = false

  function raise(conversationId: string, seq: number): void {
    if (seq <= (positions.get(conversationId) ?? -1)) return
    positions.set(conversationId, seq)
    keeper.set(changedKey(conversationId), seq)
  }

  /** With one id until it is answered. */
  async function insist(
    attempt: (clientMessageId: string) => Promise<{ message: MessageFieldsFragment }>,
  ): Promise<void> {
    const clientMessageId = randomId()
    for (let failures = 1; ; failures += 1) {
      try {
        return onChanged((await attempt(clientMessageId)).message)
      } catch (reason) {
        const error = asClientError(reason)
        if (!error.retryable || closed) throw error
        const sleeper = createSleeper()
        sleepers.add(sleeper)
        await sleeper.sleep(Math.max(error.retryAfterMs ?? 0, backoffMs(failures, random)))
        sleepers.delete(sleeper)
        if (closed) throw error
      }
    }
  }

  return {
    hear({ message, seq }: MessageChangedSubscription['messageChanged']): void {
      if (closed || seq <= (positions.get(message.conversationId) ?? -1)) return
      onChanged(message)
      raise(message.conversationId, seq)
    },
    /** A message of this conversation is about to be the first here, or one of many. */
    meets({ conversationId, seq }: MessageFieldsFragment): void {
      if (!positions.has(conversationId)) raise(conversationId, seq - 1)
    },
    /** Where to resume, in the conversations the device knows. */
    positions: (): PositionInput[] =>
      messagePositions().map(({ conversationId, seq }) => {
        if (!positions.has(conversationId)) raise(conversationId, seq)
        return { conversationId, seq: positions.get(conversationId) ?? seq }
      }),
    /** While the stream stands. */
    follow(): () => void {
      let before: PositionInput[] = messagePositions()
      const timer = setInterval(() => {
        for (const { conversationId, seq } of before) raise(conversationId, seq)
        before = messagePositions()
      }, surelyHeardMs)
      return () => clearInterval(timer)
    },
    edit: (conversationId: string, seq: number, body: string): Promise<void> =>
      insist(
        async (clientMessageId) =>
          (await ask(EditMessageDocument, { input: { conversationId, seq, clientMessageId, body } })).editMessage,
      ),
    remove: (conversationId: string, seq: number): Promise<void> =>
      insist(
        async (clientMessageId) =>
          (await ask(DeleteMessageDocument, { input: { conversationId, seq, clientMessageId } })).deleteMessage,
      ),
    react: (conversationId: string, seq: number, emoji: string, on: boolean): Promise<void> =>
      insist(
        async (clientMessageId) =>
          (await ask(ReactDocument, { input: { conversationId, seq, clientMessageId, emoji, on } })).react,
      ),
    /** There is a way to the server again. */
    wake(): void {
      for (const sleeper of sleepers) sleeper.wake()
    },
    restore(entries: Iterable<[string, unknown]>): void {
      for (const [key, value] of entries) {
        const [, conversationId] = /^changed:(.*)$/.exec(key) ?? []
        if (conversationId) positions.set(conversationId, Number(value))
      }
    },
    reset(): void {
      for (const conversationId of positions.keys()) keeper.set(changedKey(conversationId), undefined)
      positions.clear()
    },
    close(): void {
      closed = true
      for (const sleeper of sleepers) sleeper.wake()
    },
  }
}
