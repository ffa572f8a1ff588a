import {
  type MessageAddedSubscription,
  type MessageFieldsFragment,
  MessagesDocument,
  type MessagesQuery,
  type PositionInput,
} from '../generated/graphql.ts'
import type { Ask } from '../link/link.ts'
import { backoffMs } from '../shared/backoff.ts'
import type { PersistedState } from '../shared/persisted-state.ts'

// Every message once and in order, whatever streams and pages bring it, and however often.
//
// `position` is the last seq handed to the application; everything up to it was. An event says what comes before it in
// the log: at or below the position, it is the next one; above, something is missing, it is held, and the log is read
// down to the position. What is at or below the position is known, and dropped.
//
//   a stream begins again while a page is read     both bring the same; the second of each is known
//   an event overtakes the page that holds it      the page brings it; what was held is then known
//   the page was read before the event's message   the event is still held afterwards, and the log is read again
//   the log shows less than an event says          what is not shown is not ours to see: the event is the next one
//
// The position is kept after the application was told: a crash between the two tells it once more, and never skips.

type Event = MessageAddedSubscription['messageAdded']
type Held = Pick<Event, 'message' | 'previousSeq'>

const pageSize = 100
/** Fewer than the 1,000 the server takes, so that they fit into a frame. The latest are named. */
const positionsMax = 800
const positionKey = (conversationId: string): string => `position:${conversationId}`
const deviceKey = 'device'

export type InboxOptions = {
  ask: Ask
  persistedState: PersistedState
  random: () => number
  /** `previousSeq`: what was handed on before. */
  onMessage: (message: MessageFieldsFragment, previousSeq: number) => void
}

export type Inbox = ReturnType<typeof createInbox>

export function createInbox({ ask, persistedState, random, onMessage }: InboxOptions) {
  /** The latest last. */
  const positions = new Map<string, number>()
  const held = new Map<string, Map<number, Held>>()
  const filling = new Map<string, Promise<void>>()
  const retries = new Map<string, ReturnType<typeof setTimeout>>()
  const waiting = new Set<{ conversationId: string; seq: number; resolve: () => void }>()
  let isNew = true
  let closed = false

  /** A device that knows its conversations has nothing yet of one it does not know. */
  const positionOf = (conversationId: string): number => positions.get(conversationId) ?? 0

  function hear({ message, previousSeq }: Held): void {
    const { conversationId, seq } = message
    const at = positionOf(conversationId)
    if (closed || seq <= at) return
    if (previousSeq <= at) {
      apply(message)
      release(conversationId)
    } else {
      const early = held.get(conversationId) ?? new Map<number, Held>()
      held.set(conversationId, early.set(seq, { message, previousSeq }))
      fillPersistently(conversationId)
    }
  }

  function apply(message: MessageFieldsFragment): void {
    const { conversationId, seq } = message
    const previousSeq = positionOf(conversationId)
    positions.delete(conversationId)
    positions.set(conversationId, seq)
    onMessage(message, previousSeq)
    persistedState.set(positionKey(conversationId), seq)
    passed(conversationId, seq)
  }

  function passed(conversationId: string, seq: number): void {
    for (const each of waiting) {
      if (each.conversationId === conversationId && each.seq <= seq) {
        waiting.delete(each)
        each.resolve()
      }
    }
  }

  /** Whatever was held and is now the next one. */
  function release(conversationId: string): void {
    const early = held.get(conversationId)
    for (const [seq, { message, previousSeq }] of [...(early ?? [])].sort(([a], [b]) => a - b)) {
      const at = positionOf(conversationId)
      if (seq > at && previousSeq > at) return
      early?.delete(seq)
      if (seq > at) apply(message)
    }
    held.delete(conversationId)
  }

  /** Until nothing is held any more. One pause in each conversation, however many early events there are. */
  function fillPersistently(conversationId: string, failures = 0): void {
    const pausing = () => closed || retries.has(conversationId)
    if (pausing()) return
    fill(conversationId).catch(() => {
      if (pausing()) return
      const again = () => {
        retries.delete(conversationId)
        if (held.has(conversationId)) fillPersistently(conversationId, failures + 1)
      }
      retries.set(conversationId, setTimeout(again, backoffMs(failures + 1, random)))
    })
  }

  function stopRetrying(): void {
    for (const timer of retries.values()) clearTimeout(timer)
    retries.clear()
  }

  /** Reads what the log has above the position. One at a time in each conversation. */
  function fill(conversationId: string): Promise<void> {
    const running = filling.get(conversationId)
    if (running !== undefined) return running
    const mine: Promise<void> = fillOnce(conversationId, () => filling.get(conversationId) === mine)
    filling.set(conversationId, mine)
    return mine
  }

  /** Unless the conversation was forgotten since. */
  async function fillOnce(conversationId: string, isWanted: () => boolean): Promise<void> {
    const early = () => [...(held.get(conversationId) ?? [])].sort(([a], [b]) => a - b)
    try {
      do {
        const [[heardFirst] = [0]] = early()
        const found = await readAbove(conversationId, positionOf(conversationId))
        if (closed || !isWanted()) return
        for (const message of found) if (message.seq > positionOf(conversationId)) apply(message)
        // It was heard before the log was read: nothing below it is missing that is not held, too.
        for (const [seq, { message }] of early()) {
          if (seq > positionOf(conversationId) && seq <= heardFirst) apply(message)
        }
        release(conversationId)
      } while (held.has(conversationId))
    } finally {
      // In one step with the last look at what is held: whatever is early from here on begins anew.
      if (isWanted()) filling.delete(conversationId)
    }
  }

  /** Oldest first. Walks from the newest back, for a position is no cursor. */
  async function readAbove(conversationId: string, seq: number): Promise<MessageFieldsFragment[]> {
    const found: MessageFieldsFragment[] = []
    let after: string | null = null
    for (;;) {
      const { messages }: MessagesQuery = await ask(MessagesDocument, { conversationId, first: pageSize, after })
      const missing = messages.edges.map(({ node }) => node).filter((node) => node.seq > seq)
      found.push(...missing)
      if (missing.length < messages.edges.length || !messages.pageInfo.hasNextPage) return found.reverse()
      after = messages.pageInfo.endCursor
    }
  }

  return {
    hear,
    fill,
    positionOf,
    knows: (conversationId: string): boolean => positions.has(conversationId),
    /** Whether this device has no positions of its own yet. */
    isNew: (): boolean => isNew,
    /** A new device begins where the user's other devices are; from then on it has positions of its own. */
    begin(starts: Iterable<PositionInput>): void {
      for (const { conversationId, seq } of starts) {
        if (positions.has(conversationId)) continue
        positions.set(conversationId, seq)
        persistedState.set(positionKey(conversationId), seq)
      }
      isNew = false
      persistedState.set(deviceKey, true)
    },
    positions: (): PositionInput[] =>
      [...positions].slice(-positionsMax).map(([conversationId, seq]) => ({ conversationId, seq })),
    /** Resolves once the application was given everything up to seq. */
    reached: (conversationId: string, seq: number): Promise<void> =>
      new Promise((resolve) => {
        if (positionOf(conversationId) >= seq) resolve()
        else waiting.add({ conversationId, seq, resolve })
      }),
    restore(entries: Iterable<[string, unknown]>): void {
      for (const [key, value] of entries) {
        const [, conversationId] = /^position:(.*)$/.exec(key) ?? []
        if (conversationId) positions.set(conversationId, Number(value))
        if (key === deviceKey) isNew = false
      }
    },
    /** The conversation is not the user's any more. Whoever waits for it need not. */
    forget(conversationId: string): void {
      positions.delete(conversationId)
      persistedState.set(positionKey(conversationId), undefined)
      held.delete(conversationId)
      filling.delete(conversationId)
      clearTimeout(retries.get(conversationId))
      retries.delete(conversationId)
      passed(conversationId, Number.POSITIVE_INFINITY)
    },
    /** The server does not know of our positions: it is another one, or it was emptied. We are a new device to it. */
    reset(): void {
      for (const conversationId of positions.keys()) persistedState.set(positionKey(conversationId), undefined)
      persistedState.set(deviceKey, undefined)
      positions.clear()
      held.clear()
      filling.clear()
      waiting.clear()
      stopRetrying()
      isNew = true
    },
    close(): void {
      closed = true
      stopRetrying()
    },
  }
}
