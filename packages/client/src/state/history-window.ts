import { type MessageFieldsFragment, MessagesDocument, type MessagesQuery } from '../generated/graphql.ts'
import type { Ask } from '../link/link.ts'
import { asClientError, type ClientError } from '../shared/client-error.ts'
import type { TimelineMessage } from './timelines.ts'

// The part of a conversation that is shown: its newest messages, and as many older pages as were requested. It has no gaps: messages of
// the inbox are appended, and older ones come with their page.
//
// A jump replaces all of it by a page around another place. Then there are newer messages than those that are shown, and messages of the
// inbox are left out until the pages have reached the newest one. One that arrives while a page is read may be newer than the page; it is
// appended if the page turns out to be the newest.

const pageSize = 50
/** A longer history is dropped when it is not shown any more. */
const keptRows = 500

type Messages = readonly TimelineMessage[]
type PageInfo = MessagesQuery['messages']['pageInfo']
type Asked = { aroundSeq?: number; first?: number; after?: string | null; last?: number; before?: string | null }

export type HistoryWindow = ReturnType<typeof createHistoryWindow>

export function createHistoryWindow(ask: Ask, conversationId: string, onChange: () => void, notices = false) {
  /** The oldest message comes first. */
  let messages: Messages = []
  let endCursor: string | null = null
  let startCursor: string | null = null
  let hasOlder = true
  let hasNewer = false
  let loaded = false
  let loading: Promise<void> | undefined
  let error: ClientError | undefined
  /** Messages and changes that arrived while a page was loading. The page may be older than they are. */
  let arrived: TimelineMessage[] = []
  let meanwhile: MessageFieldsFragment[] = []
  /** Counts what was asked to be shown instead. Only the last of it is shown. */
  let wishes = 0

  /** Reads one page at a time. `put` puts it into the window. */
  function read(asked: Asked, put: (page: Messages, pageInfo: PageInfo) => void): Promise<void> {
    loading = readPage(asked, put)
    onChange()
    return loading
  }

  async function readPage(asked: Asked, put: (page: Messages, pageInfo: PageInfo) => void): Promise<void> {
    error = undefined
    try {
      const page = await ask(MessagesDocument, { conversationId, ...asked, ...(notices && { notices }) })
      const { edges, pageInfo } = page.messages
      put(edges.map(({ node }) => node).reverse(), pageInfo)
      if (!hasNewer) messages = merge(arrived, messages)
    } catch (failure) {
      error = asClientError(failure)
      // The first page failed, so messages of the inbox are dropped: others may arrive unseen before the next attempt.
      if (!loaded) messages = []
    }
    loading = undefined
    arrived = []
    for (const message of meanwhile) replace(message)
    meanwhile = []
    onChange()
  }

  /**
   * Shows another part of the history, unless it is shown already when nothing else is being read any more, or another wish has come in the
   * meantime. Rejects if it could not be read, and what was shown stays.
   */
  async function readInstead(asked: Asked, isShown: () => boolean): Promise<void> {
    wishes += 1
    const wish = wishes
    while (loading !== undefined) await loading
    if (wish !== wishes || isShown()) return
    await read(asked, (page, pageInfo) => {
      if (wish === wishes) putInstead(page, pageInfo)
    })
    if (error) throw error
  }

  function putOlder(page: Messages, pageInfo: PageInfo): void {
    loaded = true
    endCursor = pageInfo.endCursor ?? endCursor
    hasOlder = pageInfo.hasNextPage
    messages = merge(page, messages)
  }

  function putNewer(page: Messages, pageInfo: PageInfo): void {
    startCursor = pageInfo.startCursor ?? startCursor
    hasNewer = pageInfo.hasPreviousPage
    messages = merge(page, messages)
  }

  function putInstead(page: Messages, pageInfo: PageInfo): void {
    messages = []
    putOlder(page, pageInfo)
    putNewer(page, pageInfo)
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
    if (loading === undefined && hasOlder) return read({ first: pageSize, after: endCursor }, putOlder)
    return loading ?? Promise.resolve()
  }

  const isShown = (seq: number): boolean => {
    const [first, last] = [messages[0], messages.at(-1)]
    return first !== undefined && last !== undefined && first.seq <= seq && seq <= last.seq
  }

  return {
    loadOlder,
    loadNewer(): Promise<void> {
      if (loading === undefined && hasNewer) return read({ last: pageSize, before: startCursor }, putNewer)
      return loading ?? Promise.resolve()
    },
    /** Shows the messages around this seq, unless they are shown already. */
    jumpTo: (seq: number): Promise<void> => readInstead({ aroundSeq: seq, first: pageSize }, () => isShown(seq)),
    /** Shows the newest messages, also if a jump is still being read. */
    toNewest: (): Promise<void> => readInstead({ first: pageSize, after: null }, () => !hasNewer),
    /** Loads the newest page, unless it is loaded. Rejects if it could not be read. */
    async open(): Promise<void> {
      if (!loaded) await loadOlder()
      if (!loaded && error) throw error
    },
    received(message: TimelineMessage): void {
      if (loading !== undefined) arrived.push(message)
      const oldest = messages[0]
      if (hasNewer || (hasOlder && loaded && oldest && message.seq < oldest.seq)) return
      if (!loaded && loading === undefined) return
      messages = merge([message], messages)
      onChange()
    },
    changed(message: MessageFieldsFragment): void {
      if (loading !== undefined) meanwhile.push(message)
      replace(message)
      onChange()
    },
    /** Drops a long history, and one that is not the newest, when it is not shown any more. */
    trim(): void {
      if ((messages.length <= keptRows && !hasNewer) || loading !== undefined) return
      messages = []
      endCursor = null
      hasOlder = true
      hasNewer = false
      loaded = false
    },
    get: () => ({ messages, hasOlder, hasNewer, loading: loading !== undefined, ...(error && { error }) }),
  }
}

/** Merges two lists, oldest first, with each seq once. */
function merge(some: Messages, others: Messages): Messages {
  const [first, last] = [others[0], others.at(-1)]
  if (!first || !last) return some
  if (some.every(({ seq }) => seq > last.seq)) return [...others, ...some]
  if (some.every(({ seq }) => seq < first.seq)) return [...some, ...others]
  const bySeq = new Map([...some, ...others].map((message) => [message.seq, message]))
  return [...bySeq.values()].sort((a, b) => a.seq - b.seq)
}
