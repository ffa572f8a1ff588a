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
import type { Insist } from './insist.ts'
import type { Ask } from './link/link.ts'
import { createListeners, createValue, type Observable } from './observable.ts'
import type { Recipient } from './outbox.ts'

// The chat list, from pages, answers and live words of the server, and from what the inbox brings in between.
//
//   a page was asked for before the server said more    told: the later word stands, whatever comes in after it
//   the inbox is ahead of what the server shows          its last message and count stand; the rest is the server's
//   the user has read on, on another device, meanwhile   only the server can count: it is asked
//   a group is not shown any more, or NOT_FOUND          it is asked for; if it is not there, the user has left it
//   a message of it comes while that is asked            they may be back: it is asked for again

/** Latest activity first. `error`: the last page could not be read. */
export type ConversationsState = {
  conversations: readonly ConversationFieldsFragment[]
  loading: boolean
  hasMore: boolean
  error?: ClientError
}

export type ConversationsOptions = {
  ask: Ask
  insist: Insist
  userId: string
  /** How far the user has read, whether the server knows it yet or not. */
  readUpTo: (conversationId: string) => number
}

const pageSize = 100

export type Conversations = ReturnType<typeof createConversations>

/** The chat list; and who is behind which direct chat. */
export function createConversations({ ask, insist, userId, readUpTo }: ConversationsOptions) {
  const state = createValue<ConversationsState>({ conversations: [], loading: true, hasMore: false })
  const known = new Map<string, ConversationFieldsFragment>()
  const direct = new Map<string, string>()
  const directIds = new Set<string>()
  const seen = createListeners<[conversation: ConversationFieldsFragment, isNew: boolean]>()
  /** Conversations we are asking for, with what has come of them meanwhile. */
  const asked = new Map<string, MessageFieldsFragment[]>()
  /** When the server was asked for what we know of it, or said so by itself: by a count of such moments. */
  const told = new Map<string, number>()
  let moments = 0
  const left = new Set<string>()
  const gone = createListeners<[conversationId: string]>()
  let endCursor: string | null = null

  const idOf = (to: Recipient): string | undefined =>
    to.userId !== undefined ? direct.get(to.userId) : to.conversationId

  function isDirectWith(person: string, id: string): void {
    direct.set(person, id)
    directIds.add(id)
  }

  function learn(conversation: ConversationFieldsFragment, asOf: number): void {
    const { id, kind, members } = conversation
    if (!isNews(id, asOf)) return
    const other = members.find((member) => member.id !== userId) ?? members[0]
    if (kind === 'DIRECT' && other) isDirectWith(other.id, id)
    const mine = known.get(id)
    // A page may be older than what the inbox has brought since, and than the boundaries.
    const next = { ...conversation, ticks: conversation.ticks.map((each) => higher(each, mine?.ticks)) }
    if (mine && mine.lastSeq > next.lastSeq) {
      const read = next.ticks.find((each) => each.userId === userId)?.lastReadSeq ?? 0
      if (read > readUpTo(id)) void look(id)
      const { lastSeq, lastMessage, unreadCount } = mine
      Object.assign(next, { lastSeq, lastMessage, unreadCount })
    }
    known.set(id, withoutRead(next))
    left.delete(id)
    seen.tell(conversation, mine === undefined)
  }

  function isNews(id: string, asOf: number): boolean {
    if (asOf < (told.get(id) ?? 0)) return false
    told.set(id, asOf)
    return true
  }

  const moment = (): number => ++moments

  function drop(id: string): void {
    told.set(id, moment())
    known.delete(id)
    left.add(id)
    show()
    gone.tell(id)
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

  async function readPage(after: string | null): Promise<ConversationsQuery['conversations']> {
    const asOf = moment()
    const { conversations } = await ask(ConversationsDocument, { first: pageSize, after })
    for (const { node } of conversations.edges) learn(node, asOf)
    return conversations
  }

  /** The head of the list, and further while pages hold what `goOn` wants to see more of. */
  async function refresh(goOn: (page: ConversationFieldsFragment[]) => boolean): Promise<ConversationFieldsFragment[]> {
    const found: ConversationFieldsFragment[] = []
    // What was loaded further down stays, and so does the place to go on from.
    const isFirst = endCursor === null
    const asOf = moment()
    let after: string | null = null
    for (;;) {
      const { edges, pageInfo } = await readPage(after)
      const page = edges.map(({ node }) => node)
      found.push(...page)
      if (isFirst) endCursor = pageInfo.endCursor
      show({ loading: false, ...(isFirst && { hasMore: pageInfo.hasNextPage }) })
      if (!pageInfo.hasNextPage || !goOn(page)) {
        missed(found, pageInfo.hasNextPage, asOf)
        return found
      }
      after = pageInfo.endCursor
    }
  }

  /** Groups that should have been among these. */
  function missed(found: ConversationFieldsFragment[], hasMore: boolean, asOf: number): void {
    const ids = new Set(found.map(({ id }) => id))
    const [last] = found.slice(-1)
    for (const each of known.values()) {
      const isDue = !hasMore || (last && activityOf(each) > activityOf(last))
      if (each.kind === 'GROUP' && isDue && !ids.has(each.id) && (told.get(each.id) ?? 0) < asOf) void look(each.id)
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

  /** A conversation nobody has told us of, or one that may be gone. Should it fail, the next message or refresh tells. */
  async function look(id: string): Promise<void> {
    if (asked.has(id)) return
    asked.set(id, [])
    const asOf = moment()
    let isBack = false
    try {
      const { conversation } = await ask(ConversationDocument, { id })
      const meanwhile = asked.get(id) ?? []
      // However old the answer is by now, it is complete with what has come meanwhile.
      if (conversation) {
        learn(meanwhile.reduce(withMessage, conversation), asOf)
        show()
      } else if (meanwhile.length > 0) isBack = true
      else if (isGroup(id) && isNews(id, asOf)) drop(id)
    } catch {
      // Told above.
    } finally {
      asked.delete(id)
    }
    if (isBack) await look(id)
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
    /** The server says so by itself. */
    hear(conversation: ConversationFieldsFragment): void {
      learn(conversation, moment())
      show()
    },
    /** What changes a conversation, until it is answered. */
    change: (attempt: (id: string) => Promise<{ conversation: ConversationFieldsFragment }>) =>
      insist(async (id) => {
        const asOf = moment()
        const { conversation } = await attempt(id)
        learn(conversation, asOf)
        show()
        return conversation
      }),
    drop,
    onGone: gone.add,
    hasLeft: (id: string): boolean => left.has(id),
    /** Something of it was NOT_FOUND, which may be because the user is not in it any more. */
    doubt(id: string | undefined): void {
      if (id !== undefined && isGroup(id)) void look(id)
    },
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
      update(id, (mine) => (seq >= lastMessageSeq(mine) ? { ...mine, unreadCount: 0 } : mine))
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
      left.clear()
      endCursor = null
      show({ loading: true })
    },
  }
}

/** Direct chats are nobody's to leave. */
const isGroup = (id: string): boolean => id.startsWith('grp_')

/** What comes after it in the log is no message. */
export const lastMessageSeq = ({ lastMessage }: ConversationFieldsFragment): number => lastMessage?.seq ?? 0

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
