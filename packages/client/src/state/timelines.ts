import type { MessageFieldsFragment, NoticeFieldsFragment } from '../generated/graphql.ts'
import type { Ask } from '../link/link.ts'
import type { ClientError } from '../shared/client-error.ts'
import { createListeners, type Observable } from '../shared/observable.ts'
import type { RetryUntilAnswered } from '../shared/retry-until-answered.ts'
import type { Conversations } from './conversations.ts'
import { createHistoryWindow, type HistoryWindow } from './history-window.ts'
import type { Outbox, Outgoing, Recipient } from './outbox.ts'

/** A message or, where the chat was created with `notices`, a change of the group: then `notice` says what happened, and the body is empty. */
export type TimelineMessage = MessageFieldsFragment & { notice?: NoticeFieldsFragment | null }

/** `key` stays the same when an outgoing message becomes one of the conversation. */
export type TimelineEntry =
  | { type: 'message'; key: string; message: TimelineMessage }
  | { type: 'outgoing'; key: string; outgoing: Outgoing }

export type TimelineState = {
  /** The oldest comes first, messages that wait to be sent come last. */
  entries: readonly TimelineEntry[]
  /** Is undefined while the chat with a person does not exist, or is not known. */
  conversationId?: string
  /** A page is being read. */
  loading: boolean
  hasOlder: boolean
  /** There are newer messages than these, because of a jump. New ones arrive unseen until the newest are shown again. */
  hasNewer: boolean
  /** The user is not in the conversation, so there are no entries. */
  left?: boolean
  /** The last page could not be read. The newest one is tried again while it has a subscriber; loadOlder tries again at once. */
  error?: ClientError
}

/** Loads while it has a subscriber. */
export type Timeline = Observable<TimelineState> & {
  loadOlder(): Promise<void>
  /** Loads the next newer page, after a jump. */
  loadNewer(): Promise<void>
  /**
   * Shows the messages around this seq, unless they are shown already. If that fails, everything stays and it rejects. Of this and toNewest,
   * the last call counts: what an earlier one is still reading is not shown.
   */
  jumpTo(seq: number): Promise<void>
  /** Shows the newest messages again. If that fails, everything stays and it rejects. */
  toNewest(): Promise<void>
}

type TimelinesOptions = {
  ask: Ask
  retryUntilAnswered: RetryUntilAnswered
  conversations: Conversations
  outbox: Outbox
  notices?: boolean
}
/** Joins the messages of a conversation with the outgoing ones. */
export function createTimelines({ ask, retryUntilAnswered, conversations, outbox, notices }: TimelinesOptions) {
  type Shown = Timeline & { changed(): void; loadIfShown(): void; shows(conversationId: string): boolean }
  const timelines = new Map<string, Shown>()
  const windows = new Map<string, HistoryWindow>()
  /** Windows whose newest page is tried until it is read. */
  const opening = new WeakSet<HistoryWindow>()
  const entryOf = new WeakMap<TimelineMessage, TimelineEntry>()

  function messageEntry(message: TimelineMessage): TimelineEntry {
    const entry = entryOf.get(message) ?? {
      type: 'message' as const,
      key: message.clientMessageId ?? message.id,
      message,
    }
    entryOf.set(message, entry)
    return entry
  }

  const changedAll = () => {
    for (const timeline of timelines.values()) timeline.changed()
  }

  function windowOf(conversationId: string): HistoryWindow {
    const known = windows.get(conversationId)
    if (known) return known
    const window = createHistoryWindow(ask, conversationId, changedAll, notices)
    windows.set(conversationId, window)
    return window
  }

  const isShown = (conversationId: string) => [...timelines.values()].some((each) => each.shows(conversationId))

  /** A page that failed for the moment is tried again by itself: nothing else would fill a list that stays empty while messages come. */
  async function openWhileShown(conversationId: string): Promise<void> {
    const window = windowOf(conversationId)
    const attempt = async () => {
      if (isShown(conversationId) && windows.get(conversationId) === window) await window.open()
    }
    if (opening.has(window)) return attempt()
    opening.add(window)
    await retryUntilAnswered(attempt).finally(() => opening.delete(window))
  }

  function createTimeline(to: Recipient) {
    const listeners = createListeners<[]>()
    let state: TimelineState | undefined

    function compute(): TimelineState {
      const conversationId = conversations.idOf(to)
      const key = conversations.recipientKeyOf(to)
      const left = conversationId !== undefined && conversations.hasLeft(conversationId)
      const nothing = { messages: [], hasOlder: false, hasNewer: false, loading: false, ...(left && { left }) }
      const { messages, ...rest } = conversationId && !left ? windowOf(conversationId).get() : nothing
      const theirs = new Set(messages.slice(-outbox.entries.get().length - 50).map((each) => each.clientMessageId))
      const outgoing = outbox.entries
        .get()
        .filter((each) => conversations.recipientKeyOf(each.to) === key && !theirs.has(each.clientMessageId))
        .map((each): TimelineEntry => ({ type: 'outgoing', key: each.clientMessageId, outgoing: each }))
      const entries = [...messages.map(messageEntry), ...outgoing]
      return { entries, ...rest, ...(conversationId && { conversationId }) }
    }

    function loadIfShown(): void {
      const conversationId = conversations.idOf(to)
      if (!conversationId || listeners.size === 0 || conversations.hasLeft(conversationId)) return
      // The state of the window has the error.
      openWhileShown(conversationId).catch(() => undefined)
    }

    async function inWindow(act: (window: HistoryWindow) => Promise<void>): Promise<void> {
      const conversationId = conversations.idOf(to)
      if (conversationId) await act(windowOf(conversationId))
    }

    return {
      get(): TimelineState {
        state ??= compute()
        return state
      },
      subscribe(listener: () => void): () => void {
        const remove = listeners.add(listener)
        loadIfShown()
        return () => {
          remove()
          const id = conversations.idOf(to)
          // A person and the chat with them are two timelines on one window.
          if (id && !isShown(id)) windows.get(id)?.trim()
        }
      },
      loadOlder: () => inWindow((window) => window.loadOlder()),
      loadNewer: () => inWindow((window) => window.loadNewer()),
      jumpTo: (seq: number) => inWindow((window) => window.jumpTo(seq)),
      toNewest: () => inWindow((window) => window.toNewest()),
      changed(): void {
        state = undefined
        listeners.emit()
      },
      loadIfShown,
      shows: (conversationId: string): boolean => listeners.size > 0 && conversations.idOf(to) === conversationId,
    }
  }

  outbox.entries.subscribe(changedAll)

  /** Loads timelines whose recipient may have become known, or whose page has failed. */
  function refresh(): void {
    for (const timeline of timelines.values()) {
      timeline.loadIfShown()
      timeline.changed()
    }
  }

  return {
    of(to: Recipient): Timeline {
      const name = to.userId !== undefined ? `user:${to.userId}` : to.conversationId
      const timeline = timelines.get(name) ?? createTimeline(to)
      timelines.set(name, timeline)
      return timeline
    },
    received(message: TimelineMessage): void {
      windows.get(message.conversationId)?.received(message)
    },
    changed(message: MessageFieldsFragment): void {
      windows.get(message.conversationId)?.changed(message)
    },
    refresh,
    forget(conversationId: string): void {
      windows.delete(conversationId)
      refresh()
    },
    reset(): void {
      windows.clear()
      refresh()
    },
  }
}
