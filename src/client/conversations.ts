import { unreadMax } from '../protocol/limits.ts'
import { asClientError, type ClientError } from './client-error.ts'
import {
  ConversationDocument,
  type ConversationFieldsFragment,
  ConversationsDocument,
  type ConversationsQuery,
  type MessageFieldsFragment,
  type TicksFieldsFragment,
} from './generated/graphql.ts'
import type { Ask } from './link/link.ts'
import { createListeners, createValue, type Observable } from './observable.ts'
import type { Recipient } from './outbox.ts'

/** Latest activity first. `error`: the last page could not be read. */
export type ConversationsState = {
  conversations: readonly ConversationFieldsFragment[]
  loading: boolean
  hasMore: boolean
  error?: ClientError
}

export type ConversationsOptions = {
  ask: Ask
  userId: string
  /** How far the user has read, whether the server knows it yet or not. */
  readUpTo: (conversationId: string) => number
}

const pageSize = 100

export type Conversations = ReturnType<typeof createConversations>

/** The chat list, kept current by what the inbox brings; and who is behind which direct chat. */
export function createConversations({ ask, userId, readUpTo }: ConversationsOptions) {
  const state = createValue<ConversationsState>({ conversations: [], loading: true, hasMore: false })
  const known = new Map<string, ConversationFieldsFragment>()
  const direct = new Map<string, string>()
  const directIds = new Set<string>()
  const seen = createListeners<[conversation: ConversationFieldsFragment, isNew: boolean]>()
  /** Conversations we are asking for, with what has come of them meanwhile. */
  const asked = new Map<string, MessageFieldsFragment[]>()
  let endCursor: string | null = null

  const idOf = (to: Recipient): string | undefined =>
    to.userId !== undefined ? direct.get(to.userId) : to.conversationId

  function isDirectWith(person: string, id: string): void {
    direct.set(person, id)
    directIds.add(id)
  }

  function learn(conversation: ConversationFieldsFragment): void {
    const { id, kind, members } = conversation
    const other = members.find((member) => member.id !== userId) ?? members[0]
    if (kind === 'DIRECT' && other) isDirectWith(other.id, id)
    const mine = known.get(id)
    // A page may be older than what the inbox has brought since, and than the boundaries.
    const ticks = conversation.ticks.map((each) => higher(each, mine?.ticks))
    known.set(id, mine && mine.lastSeq > conversation.lastSeq ? mine : withoutRead({ ...conversation, ticks }))
    seen.tell(conversation, mine === undefined)
  }

  function withoutRead(conversation: ConversationFieldsFragment): ConversationFieldsFragment {
    return readUpTo(conversation.id) >= conversation.lastSeq ? { ...conversation, unreadCount: 0 } : conversation
  }

  function show(change: Partial<ConversationsState> = {}): void {
    const { error: _error, ...rest } = state.get()
    const conversations = [...known.values()].sort((a, b) => (activityOf(a) < activityOf(b) ? 1 : -1))
    state.set({ ...rest, conversations, ...change })
  }

  async function readPage(after: string | null): Promise<ConversationsQuery['conversations']> {
    const { conversations } = await ask(ConversationsDocument, { first: pageSize, after })
    for (const { node } of conversations.edges) learn(node)
    return conversations
  }

  /** The head of the list, and further while pages hold what `goOn` wants to see more of. */
  async function refresh(goOn: (page: ConversationFieldsFragment[]) => boolean): Promise<ConversationFieldsFragment[]> {
    const found: ConversationFieldsFragment[] = []
    // What was loaded further down stays, and so does the place to go on from.
    const isFirst = endCursor === null
    let after: string | null = null
    for (;;) {
      const { edges, pageInfo } = await readPage(after)
      const page = edges.map(({ node }) => node)
      found.push(...page)
      if (isFirst) endCursor = pageInfo.endCursor
      show({ loading: false, ...(isFirst && { hasMore: pageInfo.hasNextPage }) })
      if (!pageInfo.hasNextPage || !goOn(page)) return found
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

  /** A conversation nobody has told us of. Should it fail, the next message or refresh tells. */
  async function look(id: string): Promise<void> {
    if (asked.has(id)) return
    asked.set(id, [])
    try {
      const { conversation } = await ask(ConversationDocument, { id })
      if (!conversation) return
      // However old the answer is by now, it is complete with what has come meanwhile.
      learn((asked.get(id) ?? []).reduce(withMessage, conversation))
      show()
    } catch {
      // Told above.
    } finally {
      asked.delete(id)
    }
  }

  function received(message: MessageFieldsFragment): void {
    const { conversationId } = message
    asked.get(conversationId)?.push(message)
    if (!known.has(conversationId)) return void look(conversationId)
    update(conversationId, (mine) => withMessage(mine, message))
  }

  function withMessage(mine: ConversationFieldsFragment, message: MessageFieldsFragment): ConversationFieldsFragment {
    const { conversationId, seq, sender } = message
    if (seq <= mine.lastSeq) return mine
    const counts = sender.id !== userId && seq > readUpTo(conversationId)
    const unreadCount = Math.min(mine.unreadCount + (counts ? 1 : 0), unreadMax)
    return { ...mine, lastMessage: message, lastSeq: seq, unreadCount }
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
    /** Called for each conversation the server shows us, with its boundaries. */
    onSeen: seen.add,
    get: (id: string): ConversationFieldsFragment | undefined => known.get(id),
    /** The conversation a recipient stands for, as far as it is known. */
    idOf,
    /** The same for whatever ends up in the same conversation. */
    laneOf: (to: Recipient): string => idOf(to) ?? (to.userId !== undefined ? `user:${to.userId}` : ''),
    /** The same for whatever might do so: a person and a conversation of which nothing is known yet may be each other's. */
    orderOf(to: Recipient): string {
      const id = idOf(to)
      return id !== undefined && (known.has(id) || directIds.has(id)) ? id : 'unknown'
    },
    /** A message to a person has told us the id of the chat with them. */
    isDirectWith,
    received,
    /** Up to the last message nothing is unread; below it only the server can count. */
    read(id: string, seq: number): void {
      update(id, (mine) => (seq >= mine.lastSeq ? { ...mine, unreadCount: 0 } : mine))
    },
    look,
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
      endCursor = null
      show({ loading: true })
    },
  }
}

const activityOf = ({ lastMessage }: ConversationFieldsFragment): string => lastMessage?.sentAt ?? ''

/** Boundaries only rise. */
function higher(ticks: TicksFieldsFragment, known: readonly TicksFieldsFragment[] = []): TicksFieldsFragment {
  const mine = known.find(({ userId }) => userId === ticks.userId)
  return {
    ...ticks,
    lastDeliveredSeq: Math.max(ticks.lastDeliveredSeq, mine?.lastDeliveredSeq ?? 0),
    lastReadSeq: Math.max(ticks.lastReadSeq, mine?.lastReadSeq ?? 0),
  }
}
