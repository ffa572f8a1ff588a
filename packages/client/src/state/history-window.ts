import { type MessageFieldsFragment, MessagesDocument } from '../generated/graphql.ts'
import type { Ask } from '../link/link.ts'
import { asClientError, type ClientError } from '../shared/client-error.ts'

// The part of a conversation somebody is looking at: its newest messages, and as many older pages as were asked for. Without
// gaps: what the inbox brings is appended; what lies below the oldest page comes with that page.

const pageSize = 50
/** More than this does not stay when nobody looks any more. */
const keptRows = 500

export type HistoryWindow = ReturnType<typeof createHistoryWindow>

export function createHistoryWindow(ask: Ask, conversationId: string, onChange: () => void) {
  /** Oldest first. */
  let messages: readonly MessageFieldsFragment[] = []
  let endCursor: string | null = null
  let hasOlder = true
  let loaded = false
  let loading: Promise<void> | undefined
  let error: ClientError | undefined
  /** Changes that came while a page was on its way: it may have been read before them. */
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
      // What the inbox has brought beside a first page that failed: more may come before the next attempt, unseen.
      if (!loaded) messages = []
    }
    loading = undefined
    for (const message of meanwhile) replace(message)
    meanwhile = []
    onChange()
  }

  /** The message, and what quotes it. */
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
    /** The newest page, unless it is there. */
    open: (): Promise<void> => (loaded ? Promise.resolve() : loadOlder()),
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
    /** Nobody looks any more: a long history is let go of. */
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

/** Both oldest first; the result too, each seq once. */
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
