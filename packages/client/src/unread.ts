import type { Chat } from './chat.ts'
import { UnreadConversationCountDocument } from './generated/graphql.ts'
import { createValue, type Observable } from './shared/observable.ts'

// How many conversations have something unread, muted and archived ones left out: what apps show in their title or on their icon.
//
// Where the whole list is loaded, the list says it. Otherwise the server counts, with each link and whenever a conversation becomes known.
// Between two counts, the known conversations of that time tell what has changed. The others cannot change unnoticed: a conversation in
// which something happens becomes known.

/** The server counts no further. */
const countMax = 100

type Known = ReadonlyMap<string, boolean>

const countByChat = new WeakMap<Chat, Observable<number>>()

export function unreadCountOf(chat: Chat): Observable<number> {
  const count = countByChat.get(chat) ?? createUnreadCount(chat)
  countByChat.set(chat, count)
  return count
}

function createUnreadCount(chat: Chat): Observable<number> {
  const count = createValue(0)
  /** The server's count, and what was known when it came. */
  let counted: { total: number; known: Known } | undefined
  let reading = false
  let subscribers = 0
  let stops: (() => void)[] = []

  const set = (total: number): void => count.set(Math.min(Math.max(0, total), countMax))

  function show(): void {
    const known = unreadIn(chat)
    if (counted && chat.conversations.get().hasMore) {
      const { total, known: then } = counted
      set(total - unreadAmong(then, then) + unreadAmong(then, known))
      if ([...known.keys()].some((id) => !then.has(id))) void read()
    } else set(unreadAmong(known, known))
  }

  /** If this fails, the next link reads again. */
  async function read(): Promise<void> {
    if (reading) return
    reading = true
    try {
      const { unreadConversationCount: total } = await chat.ask(UnreadConversationCountDocument, {})
      counted = { total, known: unreadIn(chat) }
      show()
    } catch {
      // What is shown stays.
    } finally {
      reading = false
    }
  }

  function start(): void {
    const onLink = () => {
      void read()
      return () => undefined
    }
    stops = [chat.onLink(onLink), chat.conversations.subscribe(show)]
    show()
  }

  return {
    get: count.get,
    subscribe(listener) {
      const remove = count.subscribe(listener)
      subscribers += 1
      if (subscribers === 1) start()
      return () => {
        remove()
        subscribers -= 1
        if (subscribers === 0) for (const stop of stops) stop()
      }
    },
  }
}

/** Returns the known conversations, and which of them count. */
const unreadIn = (chat: Chat): Known =>
  new Map(
    chat.conversations
      .get()
      .conversations.map(({ id, unreadCount, archived, mutedUntil }) => [
        id,
        unreadCount > 0 && !archived && !(mutedUntil !== null && Date.parse(mutedUntil) > Date.now()),
      ]),
  )

const unreadAmong = (ids: Known, unread: Known): number => [...ids.keys()].filter((id) => unread.get(id)).length
