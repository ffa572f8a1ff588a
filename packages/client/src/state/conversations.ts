import { unreadMax } from '../../protocol/limits.ts'
import {
  type ConversationChangedSubscription,
  ConversationDocument,
  type ConversationFieldsFragment,
  ConversationsDocument,
  type ConversationsQuery,
  type MessageFieldsFragment,
  type TicksFieldsFragment,
} from '../generated/graphql.ts'
import type { Ask } from '../link/link.ts'
import { asClientError, type ClientError } from '../shared/client-error.ts'
import { createListeners, createValue, type Observable } from '../shared/observable.ts'
import type { RetryUntilAnswered } from '../shared/retry-until-answered.ts'
import type { Recipient } from './outbox.ts'
import { createWatched } from './watched.ts'

// The chat list, from pages, answers and live words of the server, and from what the inbox brings in between.
//
//   a page was asked for before the server said more    the later word stands; who is in it is the page's to say
//   the server is ahead of the inbox                    its count stands, up to its lastSeq; the inbox brings the message itself
//   the inbox is ahead of the server                    its last message and count stand: the server's next word counts it, too
//   a group's log has grown by no message               a change, or members: those who look at it see it whole, as it is then
//   the server says so once more                        what we know may have been read between the entry and its effect: again
//   a message comes over a seq that is none             the same: the server's word of that entry may have shown the message alone
//   a group is not shown any more, or NOT_FOUND         it is asked for; if it is not there, the user has left it
//   a message of it comes while that is asked           they may be back: it is asked for again

/** Latest activity first. `error`: the last page could not be read. */
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
const outdatedMs = 1000
const groupPrefix = 'grp_'

export type Conversations = ReturnType<typeof createConversations>

/** The chat list; and who is behind which direct chat. */
export function createConversations({ ask, retryUntilAnswered, userId, readUpTo }: ConversationsOptions) {
  const state = createValue<ConversationsState>({ conversations: [], loading: true, hasMore: false })
  const known = new Map<string, ConversationFieldsFragment>()
  const direct = new Map<string, string>()
  const directIds = new Set<string>()
  const seen = createListeners<[conversation: ConversationFieldsFragment, isNew: boolean]>()
  /** Conversations we are asking for, with what has come of them meanwhile. */
  const asked = new Map<string, MessageFieldsFragment[]>()
  /** When the server was asked for what we know of it, and when it last said something by itself: by a count of such moments. */
  const told = new Map<string, number>()
  const heard = new Map<string, number>()
  let moments = 0
  const left = new Set<string>()
  const watched = createWatched()
  /** Those whose members may be others by now. */
  const outdated = new Set<string>()
  /** Those that are looked at when a moment is over. */
  const soon = new Set<string>()
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
    const ticks = conversation.ticks.map((each) => higher(each, mine?.ticks))
    const later = asOf < (heard.get(id) ?? 0) && mine && said(mine)
    known.set(id, withoutRead({ ...conversation, ticks, ...(mine && ahead(mine, conversation)), ...later }))
    left.delete(id)
    seen.tell(conversation, mine === undefined)
  }

  function isNews(id: string, asOf: number): boolean {
    if (asOf < (told.get(id) ?? 0)) return false
    told.set(id, asOf)
    return true
  }

  /** Who is in a group may have changed. It is looked at soon: this may be one of many. */
  function outdate(id: string): void {
    if (!id.startsWith(groupPrefix)) return
    outdated.add(id)
    if (soon.has(id)) return
    soon.add(id)
    setTimeout(() => {
      soon.delete(id)
      // The answer under way may have been read before.
      asked.has(id) ? outdate(id) : lookAnew(id)
    }, outdatedMs)
  }

  function lookAnew(id: string): void {
    if (watched.ids.get().includes(id) && (outdated.delete(id) || !known.has(id))) void look(id)
  }

  /** Asks the server whether the user is still in it. Nobody leaves a direct chat. */
  function verifyMembership(id: string | undefined): void {
    if (id?.startsWith(groupPrefix)) void look(id)
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

  /** Groups come with all their members. Where a page of large ones is too much at once, half of it is asked for. */
  async function readPage(after: string | null, first = pageSize): Promise<ConversationsQuery['conversations']> {
    const asOf = moment()
    try {
      const { conversations } = await ask(ConversationsDocument, { first, after })
      for (const { node } of conversations.edges) learn(node, asOf)
      return conversations
    } catch (error) {
      if (asClientError(error).code !== 'QUERY_TOO_COMPLEX' || first === 1) throw error
      return readPage(after, Math.floor(first / 2))
    }
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
      if (!pageInfo.hasNextPage) {
        // This was all: a group that is not among them may be one the user has left.
        const here = new Set(found.map(({ id }) => id))
        for (const id of known.keys()) if (!here.has(id) && (told.get(id) ?? 0) < asOf) verifyMembership(id)
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

  /** A conversation nobody has told us of, or one that may be gone. Should it fail, the next message, link or look tells. */
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
      else if (id.startsWith(groupPrefix) && isNews(id, asOf)) drop(id)
    } catch {
      outdated.add(id)
    } finally {
      asked.delete(id)
    }
    if (isBack) await look(id)
  }

  function received(message: MessageFieldsFragment, previousSeq: number): void {
    const { conversationId, seq } = message
    asked.get(conversationId)?.push(message)
    if (!known.has(conversationId)) return void look(conversationId)
    if (seq > previousSeq + 1) outdate(conversationId)
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
    /** The server says so by itself. */
    hear(changed: ConversationChangedSubscription['conversationChanged']): void {
      const { id, lastMessage: _last, ...rest } = changed
      const mine = known.get(id)
      if (!mine) return void look(id)
      heard.set(id, moment())
      if (changed.lastSeq >= mine.lastSeq && changed.lastSeq > lastMessageSeq(changed)) outdate(id)
      const isRead = readUpTo(id) >= Math.max(lastMessageSeq(mine), lastMessageSeq(changed))
      update(id, () => ({ ...mine, ...rest, ...ahead(mine, changed), ...(isRead && { unreadCount: 0 }) }))
    },
    /** Whoever looks at one wants it whole, and as it is. */
    watch(id: string): () => void {
      const unwatch = watched.watch(id)
      lookAnew(id)
      return unwatch
    },
    /** There is a way to the server again. */
    wake: (): void => watched.ids.get().forEach(lookAnew),
    /** What changes a conversation, until it is answered. */
    change: (attempt: (id: string) => Promise<{ conversation: ConversationFieldsFragment }>) =>
      retryUntilAnswered(async (id) => {
        const asOf = moment()
        const { conversation } = await attempt(id)
        learn(conversation, asOf)
        show()
        return conversation
      }),
    drop,
    onGone: gone.add,
    hasLeft: (id: string): boolean => left.has(id),
    verifyMembership,
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
    /** `previousSeq`: how far the log was known before; what lies between the two is no message. */
    received,
    /** Up to the last message nothing is unread; below it only the server can count, and says so. */
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

/** What comes after it in the log is no message. */
export const lastMessageSeq = ({ lastMessage }: Counted): number => lastMessage?.seq ?? 0

type Counted = { lastSeq: number; lastMessage: { seq: number } | null }

/** What the inbox has brought beyond what the server shows. */
const ahead = (mine: ConversationFieldsFragment, theirs: Counted): Partial<ConversationFieldsFragment> => ({
  ...(lastMessageSeq(mine) > lastMessageSeq(theirs) && { lastMessage: mine.lastMessage }),
  ...(mine.lastSeq > theirs.lastSeq && { lastSeq: mine.lastSeq, unreadCount: mine.unreadCount }),
})

/** What the server says by itself. */
const said = ({ title, mutedUntil, pinned, archived, unreadCount }: ConversationFieldsFragment) => ({
  title,
  mutedUntil,
  pinned,
  archived,
  unreadCount,
})

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
