import {
  DeleteMessageDocument,
  EditMessageDocument,
  type MessageChangedSubscription,
  type MessageFieldsFragment,
  type PositionInput,
  ReactDocument,
} from '../generated/graphql.ts'
import type { Ask } from '../link/link.ts'
import type { PersistedState } from '../shared/persisted-state.ts'
import type { RetryUntilAnswered } from '../shared/retry-until-answered.ts'

// Edits, deletions and reactions have a stream of their own, and so a position of their own, which begins where the device first met the
// conversation. Most conversations see no change for a long time. So that a resume need not begin years ago, the position follows the
// messages: a change below them would have arrived by now, if the stream has been open since.

const changedKey = (conversationId: string): string => `changed:${conversationId}`
/** The server notices a lost event in a third of this time. */
const surelyHeardMs = 90_000

type ChangesOptions = {
  ask: Ask
  persistedState: PersistedState
  retryUntilAnswered: RetryUntilAnswered
  /** The positions of the stream of messages. */
  messagePositions: () => PositionInput[]
  /** Called with the message as it is now. */
  onChanged: (message: MessageFieldsFragment) => void
}

export type Changes = ReturnType<typeof createChanges>

export function createChanges({
  ask,
  retryUntilAnswered,
  persistedState,
  messagePositions,
  onChanged,
}: ChangesOptions) {
  const positions = new Map<string, number>()
  const asking = new Set<PositionInput & { overtaken: boolean }>()
  let closed = false

  function raise(conversationId: string, seq: number): void {
    if (seq <= (positions.get(conversationId) ?? -1)) return
    positions.set(conversationId, seq)
    persistedState.set(changedKey(conversationId), seq)
  }

  function forget(conversationId: string): void {
    positions.delete(conversationId)
    persistedState.set(changedKey(conversationId), undefined)
  }

  /**
   * Shows the answer at once, unless an event of that message came first: the answer may then be older than the event, and the stream
   * that brought the event brings this change as well.
   */
  async function change(
    { conversationId, seq }: PositionInput,
    attempt: (clientMessageId: string) => Promise<{ message: MessageFieldsFragment }>,
  ): Promise<void> {
    const asked = { conversationId, seq, overtaken: false }
    asking.add(asked)
    try {
      const { message } = await retryUntilAnswered(attempt)
      if (!asked.overtaken) onChanged(message)
    } finally {
      asking.delete(asked)
    }
  }

  return {
    handleEvent({ message, seq }: MessageChangedSubscription['messageChanged']): void {
      if (closed || seq <= (positions.get(message.conversationId) ?? -1)) return
      for (const asked of asking) asked.overtaken ||= isAt(asked, message)
      onChanged(message)
      raise(message.conversationId, seq)
    },
    /** Sets the first position of a conversation, just below its first message here. */
    meets({ conversationId, seq }: MessageFieldsFragment): void {
      if (!positions.has(conversationId)) raise(conversationId, seq - 1)
    },
    /** Returns where to resume, in the conversations that the device knows. */
    positions: (): PositionInput[] =>
      messagePositions().map(({ conversationId, seq }) => {
        if (!positions.has(conversationId)) raise(conversationId, seq)
        return { conversationId, seq: positions.get(conversationId) ?? seq }
      }),
    /** Raises the positions while the stream is open. Returns a function that stops it. */
    follow(): () => void {
      let before: PositionInput[] = messagePositions()
      const timer = setInterval(() => {
        for (const { conversationId, seq } of before) if (positions.has(conversationId)) raise(conversationId, seq)
        before = messagePositions()
      }, surelyHeardMs)
      return () => clearInterval(timer)
    },
    edit: (conversationId: string, seq: number, body: string): Promise<void> =>
      change(
        { conversationId, seq },
        async (clientMessageId) =>
          (await ask(EditMessageDocument, { input: { conversationId, seq, clientMessageId, body } })).editMessage,
      ),
    remove: (conversationId: string, seq: number): Promise<void> =>
      change(
        { conversationId, seq },
        async (clientMessageId) =>
          (await ask(DeleteMessageDocument, { input: { conversationId, seq, clientMessageId } })).deleteMessage,
      ),
    react: (conversationId: string, seq: number, emoji: string, on: boolean): Promise<void> =>
      change(
        { conversationId, seq },
        async (clientMessageId) =>
          (await ask(ReactDocument, { input: { conversationId, seq, clientMessageId, emoji, on } })).react,
      ),
    restore(entries: Iterable<[string, unknown]>): void {
      for (const [key, value] of entries) {
        const [, conversationId] = /^changed:(.*)$/.exec(key) ?? []
        if (conversationId) positions.set(conversationId, Number(value))
      }
    },
    forget,
    reset(): void {
      for (const conversationId of positions.keys()) forget(conversationId)
    },
    close(): void {
      closed = true
    },
  }
}

const isAt = (place: PositionInput, { conversationId, seq }: MessageFieldsFragment): boolean =>
  place.conversationId === conversationId && place.seq === seq
