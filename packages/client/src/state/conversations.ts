import {
  ConversationDocument,
  type ConversationFieldsFragment,
  ConversationsDocument,
  type ConversationsQuery,
  type ConversationUpdatedSubscription,
  type MessageFieldsFragment,
  StillThereDocument,
  type TicksFieldsFragment,
} from '../generated/graphql.ts'
import type { Ask } from '../link/link.ts'
import { unreadMax } from '../protocol/limits.ts'
import { asClientError, type ClientError } from '../shared/client-error.ts'
import { createListeners, createValue, type Observable } from '../shared/observable.ts'
import type { RetryUntilAnswered } from '../shared/retry-until-answered.ts'
import type { Recipient } from './outbox.ts'
import { createWatched } from './watched.ts'

// The chat list is merged from pages, answers and events of the server, and from the messages of the inbox.
//
//   a page was requested before an event came           the event wins; the members are taken from the page
//   the server is ahead of the inbox                    its unread count wins, up to its lastSeq; the inbox brings the message itself
//   the inbox is ahead of the server                    its last message and count win; the next event of the server counts it too
//   a group's log grows by an entry that is no message  a change, or new members: a watched group is read again
//   the server repeats such an event                    we may have read between the entry and its effect: it is read again
//   a message arrives above a seq that is no message    the same: the event of that entry may have shown the message alone
//   a page lacks a group, or NOT_FOUND                  the group is read; if it is not there, the user has left it
//   a message of that group arrives meanwhile           the user may be back: it is read again

/** The latest activity comes first. `error` says why the last page could not be read. */
export type ConversationsState = {
  conversations: readonly ConversationFieldsFragment[]
  loading: boolean
  hasMore: boolean
  error?: ClientError
}

export type ConversationsOptions = {
  ask: Ask
  retryUntilAnswered: RetryUntilAnswered
  userId: string
  /** How far the user has read, whether the server knows it yet or not. */
  readUpTo: (conversationId: string) => number
}

const pageSize = 100
/** The server accepts so many ids in one request. */
const idsAtATime = 100
const rereadDelayMs = 1000
const groupPrefix = 'grp_'

export type Conversations = ReturnType<typeof createConversations>

/** Keeps the chat list, and which direct chat belongs to which person. */
export function createConversations({ ask, retryUntilAnswered, userId, readUpTo }: ConversationsOptions) {
  const state = createValue<ConversationsState>({ conversations: [], loading: true, hasMore: false })
  const known = new Map<string, ConversationFieldsFragment>()
  const direct = new Map<string, string>()
  const directIds = new Set<string>()
  const seenListeners = createListeners<[conversation: ConversationFieldsFragment, isNew: boolean]>()
  /** Conversations that are being read, with the messages that have arrived meanwhile. */
  const reading = new Map<string, MessageFieldsFragment[]>()
  /** Logical times: when the known state of a conversation was requested, and when its last event came. */
  const readTimes = new Map<string, number>()
  const eventTimes = new Map<string, number>()
  let logicalTime = 0
  const left = new Set<string>()
  const watched = createWatched()
  /** Groups whose members may have changed. */
  const outdated = new Set<string>()
  /** Groups that are read again after a short delay. */
  const scheduled = new Set<string>()
  const goneListeners = createListeners<[conversationId: string]>()
  let endCursor: string | null = null

  const idOf = (to: Recipient): string | undefined =>
    to.userId !== undefined ? direct.get(to.userId) : to.conversationId

  function isDirectWith(person: string, id: string): void {
    direct.set(person, id)
    directIds.add(id)
  }

  function merge(conversation: ConversationFieldsFragment, asOf: number): void {
    const { id, kind, members } = conversation
    if (!isNewer(id, asOf)) return
    const other = members.find((member) => member.id !== userId) ?? members[0]
    if (kind === 'DIRECT' && other) isDirectWith(other.id, id)
    const mine = known.get(id)
    // A page may be older than the messages and boundaries that have arrived since.
    const ticks = conversation.ticks.map((each) => higher(each, mine?.ticks))
    const later = asOf < (eventTimes.get(id) ?? 0) && mine && liveFieldsOf(mine)
    known.set(id, withoutRead({ ...conversation, ticks, ...(mine && newerThan(mine, conversation)), ...later }))
    left.delete(id)
    seenListeners.emit(conversation, mine === undefined)
  }

  function isNewer(id: string, asOf: number): boolean {
    if (asOf < (readTimes.get(id) ?? 0)) return false
    readTimes.set(id, asOf)
    return true
  }

  /** The members of a group may have changed. It is read again after a delay, because this may be one of many changes. */
  function markOutdated(id: string): void {
    if (!id.startsWith(groupPrefix)) return
    outdated.add(id)
    if (scheduled.has(id)) return
    scheduled.add(id)
    setTimeout(() => {
      scheduled.delete(id)
      // The answer that is on its way may be older than this change.
      reading.has(id) ? markOutdated(id) : rereadIfWatched(id)
    }, rereadDelayMs)
  }

  function rereadIfWatched(id: string): void {
    if (watched.ids.get().includes(id) && (outdated.delete(id) || !known.has(id))) void reread(id)
  }

  /** Asks the server whether the user is still in it. Members of a direct chat never leave it. */
  function verifyMembership(id: string | undefined): void {
    if (id?.startsWith(groupPrefix)) void reread(id)
  }

  const nextTime = (): number => ++logicalTime

  function drop(id: string): void {
    readTimes.set(id, nextTime())
    known.delete(id)
    left.add(id)
    show()
    goneListeners.emit(id)
  }

  function withoutRead(conversation: ConversationFieldsFragment): ConversationFieldsFragment {
    return readUpTo(conversation.id) >= lastMessageSeq(conversation)
      ? { ...conversation, unreadCount: 0 }
      : conversation
  }

  function show(change: Partial<ConversationsState> = {}): void {
    const { error: _error, ...rest } = state.get()
    const conversations = [...known.values()].sort((a, b) => (activityOf(a) < activityOf(b) ? 1 : -1))
    state.set({ ...rest, conversations, ...change })
  }

  /** Groups come with all their members. If a page of large groups is too complex, half of it is requested. */
  async function readPage(after: string | null, first = pageSize): Promise<ConversationsQuery['conversations']> {
    const asOf = nextTime()
    try {
      const { conversations } = await ask(ConversationsDocument, { first, after })
      for (const { node } of conversations.edges) merge(node, asOf)
      return conversations
    } catch (error) {
      if (asClientError(error).code !== 'QUERY_TOO_COMPLEX' || first === 1) throw error
      return readPage(after, Math.floor(first / 2))
    }
  }

  /** Reads the first page of the list, and goes on while `goOn` returns true. */
  async function refresh(goOn: (page: ConversationFieldsFragment[]) => boolean): Promise<ConversationFieldsFragment[]> {
    const found: ConversationFieldsFragment[] = []
    // Pages that were loaded further down stay, and so does their cursor.
    const isFirst = endCursor === null
    const asOf = nextTime()
    let after: string | null = null
    for (;;) {
      const { edges, pageInfo } = await readPage(after)
      const page = edges.map(({ node }) => node)
      found.push(...page)
      if (isFirst) endCursor = pageInfo.endCursor
      show({ loading: false, ...(isFirst && { hasMore: pageInfo.hasNextPage }) })
      if (!pageInfo.hasNextPage) {
        // This was the whole list, so the user may have left a group that is not in it.
        const here = new Set(found.map(({ id }) => id))
        for (const id of known.keys()) if (!here.has(id) && (readTimes.get(id) ?? 0) < asOf) verifyMembership(id)
        return found
      }
      if (!goOn(page)) return found
      after = pageInfo.endCursor
    }
  }

  async function loadMore(): Promise<void> {
    const { loading, hasMore } = state.get()
    if (loading || !hasMore) return
    show({ loading: true })
    try {
      const { pageInfo } = await readPage(endCursor)
      endCursor = pageInfo.endCursor
      show({ loading: false, hasMore: pageInfo.hasNextPage })
    } catch (error) {
      show({ loading: false, error: asClientError(error) })
    }
  }

  /** Reads a conversation that is unknown or may be gone. If that fails, the next message, link or watcher tries again. */
  async function reread(id: string): Promise<void> {
    if (reading.has(id)) return
    reading.set(id, [])
    const asOf = nextTime()
    let isBack = false
    try {
      const { conversation } = await ask(ConversationDocument, { id })
      const meanwhile = reading.get(id) ?? []
      // The answer is complete together with the messages that have arrived meanwhile.
      if (conversation) {
        merge(meanwhile.reduce(withMessage, conversation), asOf)
        show()
      } else if (meanwhile.length > 0) isBack = true
      else if (id.startsWith(groupPrefix) && isNewer(id, asOf)) drop(id)
    } catch {
      outdated.add(id)
    } finally {
      reading.delete(id)
    }
    if (isBack) await reread(id)
  }

  /** Returns those of these conversations, or messages, that the user may see. */
  async function stillThere(ids: readonly string[]): Promise<Set<string>> {
    const found = new Set<string>()
    for (let i = 0; i < ids.length; i += idsAtATime) {
      const { nodes } = await ask(StillThereDocument, { ids: ids.slice(i, i + idsAtATime) })
      for (const node of nodes) if (node) found.add(node.id)
    }
    return found
  }

  function received(message: MessageFieldsFragment, previousSeq: number): void {
    const { conversationId, seq } = message
    reading.get(conversationId)?.push(message)
    if (!known.has(conversationId)) return void reread(conversationId)
    if (seq > previousSeq + 1) markOutdated(conversationId)
    update(conversationId, (mine) => withMessage(mine, message))
  }

  function withMessage(mine: ConversationFieldsFragment, message: MessageFieldsFragment): ConversationFieldsFragment {
    const { conversationId, seq, sender } = message
    if (seq <= lastMessageSeq(mine)) return mine
    const counts = sender.id !== userId && seq > Math.max(readUpTo(conversationId), mine.lastSeq)
    const unreadCount = Math.min(mine.unreadCount + (counts ? 1 : 0), unreadMax)
    return { ...mine, lastMessage: message, lastSeq: Math.max(seq, mine.lastSeq), unreadCount }
  }

  function update(id: string, change: (mine: ConversationFieldsFragment) => ConversationFieldsFragment): void {
    const mine = known.get(id)
    if (!mine) return
    known.set(id, change(mine))
    show()
  }

  return {
    state: state as Observable<ConversationsState>,
    refresh,
    loadMore,
    /** Applies an event of the server. A group that is gone may be there again: the server is asked before it is dropped. */
    handleEvent({
      conversation: changed,
      removedConversationId,
    }: ConversationUpdatedSubscription['conversationUpdated']): void {
      if (removedConversationId) verifyMembership(removedConversationId)
      if (!changed) return
      const { id, lastMessage: _last, ...rest } = changed
      const mine = known.get(id)
      if (!mine) return void reread(id)
      eventTimes.set(id, nextTime())
      if (changed.lastSeq >= mine.lastSeq && changed.lastSeq > lastMessageSeq(changed)) markOutdated(id)
      const isRead = readUpTo(id) >= Math.max(lastMessageSeq(mine), lastMessageSeq(changed))
      update(id, () => ({ ...mine, ...rest, ...newerThan(mine, changed), ...(isRead && { unreadCount: 0 }) }))
    },
    /** Watches a conversation, and reads it again if it may be outdated. */
    watch(id: string): () => void {
      const unwatch = watched.watch(id)
      rereadIfWatched(id)
      return unwatch
    },
    /** Reads outdated conversations again when there is a link. */
    wake: (): void => watched.ids.get().forEach(rereadIfWatched),
    /** Repeats a change of a conversation until it is answered. */
    change: (attempt: (id: string) => Promise<{ conversation: ConversationFieldsFragment }>) =>
      retryUntilAnswered(async (id) => {
        const asOf = nextTime()
        const { conversation } = await attempt(id)
        merge(conversation, asOf)
        show()
        return conversation
      }),
    drop,
    onGone: goneListeners.add,
    hasLeft: (id: string): boolean => left.has(id),
    verifyMembership,
    stillThere,
    /** Called for each conversation the server shows us, with its boundaries. */
    onSeen: seenListeners.add,
    get: (id: string): ConversationFieldsFragment | undefined => known.get(id),
    /** Returns the conversation of a recipient, if it is known. */
    idOf,
    /** Returns the same key for recipients of the same conversation. */
    recipientKeyOf: (to: Recipient): string => idOf(to) ?? (to.userId !== undefined ? `user:${to.userId}` : ''),
    /** Returns the same queue for recipients that may be the same conversation: an unknown person and an unknown conversation may be. */
    sendQueueOf(to: Recipient): string {
      const id = idOf(to)
      return id !== undefined && (known.has(id) || directIds.has(id)) ? id : 'unknown'
    },
    /** Learns the id of the direct chat with a person. */
    isDirectWith,
    /** `previousSeq` is how far the log was known before. The entries in between are no messages. */
    received,
    /** The group has changed. One that the user was just added to may be unknown. */
    noticed: (id: string): void => (known.has(id) ? markOutdated(id) : void reread(id)),
    /** Sets the unread count to 0 at the last message. Below it only the server can count, and sends an event. */
    read(id: string, seq: number): void {
      update(id, (mine) => (seq >= lastMessageSeq(mine) ? { ...mine, unreadCount: 0 } : mine))
    },
    reread,
    changed(message: MessageFieldsFragment): void {
      update(message.conversationId, (mine) =>
        mine.lastMessage?.seq === message.seq ? { ...mine, lastMessage: message } : mine,
      )
    },
    ticksChanged(id: string, ticks: ConversationFieldsFragment['ticks']): void {
      update(id, (mine) => ({ ...mine, ticks }))
    },
    reset(): void {
      known.clear()
      direct.clear()
      directIds.clear()
      left.clear()
      endCursor = null
      show({ loading: true })
    },
  }
}

/** Returns the seq of the last message. The log may have later entries that are no messages. */
export const lastMessageSeq = ({ lastMessage }: Counted): number => lastMessage?.seq ?? 0

type Counted = { lastSeq: number; lastMessage: { seq: number } | null }

/** Returns the fields in which the inbox is ahead of the server. */
const newerThan = (mine: ConversationFieldsFragment, theirs: Counted): Partial<ConversationFieldsFragment> => ({
  ...(lastMessageSeq(mine) > lastMessageSeq(theirs) && { lastMessage: mine.lastMessage }),
  ...(mine.lastSeq > theirs.lastSeq && { lastSeq: mine.lastSeq, unreadCount: mine.unreadCount }),
})

/** Returns the fields that events carry. */
const liveFieldsOf = ({ title, mutedUntil, pinned, archived, unreadCount }: ConversationFieldsFragment) => ({
  title,
  mutedUntil,
  pinned,
  archived,
  unreadCount,
})

/** A message that came since the conversation was read is later than what the server said. */
function activityOf({ lastMessage, lastActivityAt }: ConversationFieldsFragment): string {
  const [said, sentAt] = [lastActivityAt ?? '', lastMessage?.sentAt ?? '']
  return said > sentAt ? said : sentAt
}

/** Boundaries only rise. */
function higher(ticks: TicksFieldsFragment, known: readonly TicksFieldsFragment[] = []): TicksFieldsFragment {
  const mine = known.find(({ userId }) => userId === ticks.userId)
  return {
    ...ticks,
    lastDeliveredSeq: Math.max(ticks.lastDeliveredSeq, mine?.lastDeliveredSeq ?? 0),
    lastReadSeq: Math.max(ticks.lastReadSeq, mine?.lastReadSeq ?? 0),
  }
}
