import {
  type MessageAddedSubscription,
  MessagesDocument,
  type MessagesQuery,
  type MessagesQueryVariables,
  type PositionInput,
} from '../generated/graphql.ts'
import type { Ask } from '../link/link.ts'
import { backoffMs } from '../shared/backoff.ts'
import type { PersistedState } from '../shared/persisted-state.ts'
import type { TimelineMessage } from './timelines.ts'

// The inbox hands on every message once and in order, however often streams and pages bring it.
//
// `position` is the last seq that was handed to the application. An event names the seq before it in the log. If that is at or below
// the position, the event is the next one. If it is above, a message is missing: the event is held, and the log is read down to the
// position. Messages at or below the position are known, and dropped.
//
//   a stream begins again while a page is read     both bring the same messages; the second of each is known
//   an event overtakes the page that holds it      the page brings it; the held event is then known
//   the page was read before the event's message   the event is still held afterwards, and the log is read again
//   the log shows less than an event says          the user may not see the rest: the event is the next one
//
// The position is stored after the application has the message: after a crash in between it gets the message again, and skips none.

type Event = MessageAddedSubscription['messageAdded']
type Held = Pick<Event, 'message' | 'previousSeq'>

const pageSize = 100
/** The latest positions are sent: fewer than the 1,000 that the server accepts, so that they fit into a frame. */
const positionsMax = 800
const positionKey = (conversationId: string): string => `position:${conversationId}`
const deviceKey = 'device'

export type InboxOptions = {
  ask: Ask
  persistedState: PersistedState
  random: () => number
  /** Whether pages bring notices, as the stream does. */
  notices?: boolean
  /** `previousSeq` is the message that was handed on before. */
  onMessage: (message: TimelineMessage, previousSeq: number) => void
}

export type Inbox = ReturnType<typeof createInbox>

export function createInbox({ ask, persistedState, random, notices = false, onMessage }: InboxOptions) {
  /** The conversation of the latest message comes last. */
  const positions = new Map<string, number>()
  const held = new Map<string, Map<number, Held>>()
  const filling = new Map<string, Promise<void>>()
  const retries = new Map<string, ReturnType<typeof setTimeout>>()
  const waiting = new Set<{ conversationId: string; seq: number; resolve: () => void }>()
  let isNew = true
  let closed = false

  /** Returns 0 for a conversation that the device does not know: it has nothing of it yet. */
  const positionOf = (conversationId: string): number => positions.get(conversationId) ?? 0

  function handleEvent({ message, previousSeq }: Held): void {
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

  function apply(message: TimelineMessage): void {
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

  /** Applies held events that have become the next ones. */
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

  /** Fills until no event is held. Each conversation has one pause, however many early events there are. */
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

  /** Reads the log above the position, once at a time in each conversation. */
  function fill(conversationId: string): Promise<void> {
    const running = filling.get(conversationId)
    if (running !== undefined) return running
    const mine: Promise<void> = fillOnce(conversationId, () => filling.get(conversationId) === mine)
    filling.set(conversationId, mine)
    return mine
  }

  /** Stops if the conversation was forgotten meanwhile. */
  async function fillOnce(conversationId: string, isWanted: () => boolean): Promise<void> {
    const early = () => [...(held.get(conversationId) ?? [])].sort(([a], [b]) => a - b)
    try {
      do {
        const [[heardFirst] = [0]] = early()
        const found = await readAbove(conversationId, positionOf(conversationId))
        if (closed || !isWanted()) return
        for (const message of found) if (message.seq > positionOf(conversationId)) apply(message)
        // This event came before the log was read, so everything below it was read or is held.
        for (const [seq, { message }] of early()) {
          if (seq > positionOf(conversationId) && seq <= heardFirst) apply(message)
        }
        release(conversationId)
      } while (held.has(conversationId))
    } finally {
      // This runs in the same turn as the last check of held events, so a later early event starts a new fill.
      if (isWanted()) filling.delete(conversationId)
    }
  }

  /** Returns the oldest first. It reads from the newest message back, because a position is no cursor. */
  async function readAbove(conversationId: string, seq: number): Promise<TimelineMessage[]> {
    const found: TimelineMessage[] = []
    let after: string | null = null
    for (;;) {
      const asked: MessagesQueryVariables = { conversationId, first: pageSize, after, ...(notices && { notices }) }
      const { messages }: MessagesQuery = await ask(MessagesDocument, asked)
      const missing = messages.edges.map(({ node }) => node).filter((node) => node.seq > seq)
      found.push(...missing)
      if (missing.length < messages.edges.length || !messages.pageInfo.hasNextPage) return found.reverse()
      after = messages.pageInfo.endCursor
    }
  }

  return {
    handleEvent,
    fill,
    positionOf,
    knows: (conversationId: string): boolean => positions.has(conversationId),
    /** Returns whether this device has no positions of its own yet. */
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
    /** Resolves when the application has everything up to seq. */
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
    /** Forgets a conversation that the user has left. Waiting for it ends. */
    forget(conversationId: string): void {
      positions.delete(conversationId)
      persistedState.set(positionKey(conversationId), undefined)
      held.delete(conversationId)
      filling.delete(conversationId)
      clearTimeout(retries.get(conversationId))
      retries.delete(conversationId)
      passed(conversationId, Number.POSITIVE_INFINITY)
    },
    /** The server does not know our positions: it is another one, or it was emptied. This device is new to it. */
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
