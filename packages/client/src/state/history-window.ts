import { type MessageFieldsFragment, MessagesDocument } from '../generated/graphql.ts'
import type { Ask } from '../link/link.ts'
import { asClientError, type ClientError } from '../shared/client-error.ts'

// The part of a conversation that is shown: its newest messages, and as many older pages as were requested. It has no gaps: messages of
// the inbox are appended, and older ones come with their page.

const pageSize = 50
/** A longer history is dropped when it is not shown any more. */
const keptRows = 500

export type HistoryWindow = ReturnType<typeof createHistoryWindow>

export function createHistoryWindow(ask: Ask, conversationId: string, onChange: () => void) {
  /** The oldest message comes first. */
  let messages: readonly MessageFieldsFragment[] = []
  let endCursor: string | null = null
  let hasOlder = true
  let loaded = false
  let loading: Promise<void> | undefined
  let error: ClientError | undefined
  /** Changes that arrived while a page was loading. The page may be older than they are. */
  let meanwhile: MessageFieldsFragment[] = []

  async function load(): Promise<void> {
    error = undefined
    try {
      const page = await ask(MessagesDocument, { conversationId, first: pageSize, after: endCursor })
      const { edges, pageInfo } = page.messages
      endCursor = pageInfo.endCursor ?? endCursor
      hasOlder = pageInfo.hasNextPage
      loaded = true
      messages = merge(edges.map(({ node }) => node).reverse(), messages)
    } catch (failure) {
      error = asClientError(failure)
      // The first page failed, so messages of the inbox are dropped: others may arrive unseen before the next attempt.
      if (!loaded) messages = []
    }
    loading = undefined
    for (const message of meanwhile) replace(message)
    meanwhile = []
    onChange()
  }

  /** Replaces the message, and the quotes of it. */
  function replace(changed: MessageFieldsFragment): void {
    const { seq, sender, body, deletedAt } = changed
    messages = messages.map((message) => {
      if (message.seq === seq) return changed
      return message.replyTo?.seq === seq ? { ...message, replyTo: { seq, sender, body, deletedAt } } : message
    })
  }

  function loadOlder(): Promise<void> {
    if (loading === undefined && hasOlder) {
      loading = load()
      onChange()
    }
    return loading ?? Promise.resolve()
  }

  return {
    loadOlder,
    /** Loads the newest page, unless it is loaded. Rejects if it could not be read. */
    async open(): Promise<void> {
      if (!loaded) await loadOlder()
      if (!loaded && error) throw error
    },
    received(message: MessageFieldsFragment): void {
      const oldest = messages[0]
      if (hasOlder && loaded && oldest && message.seq < oldest.seq) return
      if (!loaded && loading === undefined) return
      messages = merge([message], messages)
      onChange()
    },
    changed(message: MessageFieldsFragment): void {
      if (loading !== undefined) meanwhile.push(message)
      replace(message)
      onChange()
    },
    /** Drops a long history when it is not shown any more. */
    trim(): void {
      if (messages.length <= keptRows || loading !== undefined) return
      messages = []
      endCursor = null
      hasOlder = true
      loaded = false
    },
    get: () => ({ messages, hasOlder, loading: loading !== undefined, ...(error && { error }) }),
  }
}

/** Merges two lists, oldest first, with each seq once. */
function merge(
  some: readonly MessageFieldsFragment[],
  others: readonly MessageFieldsFragment[],
): readonly MessageFieldsFragment[] {
  const [first, last] = [others[0], others.at(-1)]
  if (!first || !last) return some
  if (some.every(({ seq }) => seq > last.seq)) return [...others, ...some]
  if (some.every(({ seq }) => seq < first.seq)) return [...some, ...others]
  const bySeq = new Map([...some, ...others].map((message) => [message.seq, message]))
  return [...bySeq.values()].sort((a, b) => a.seq - b.seq)
}
