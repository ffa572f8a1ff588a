import type { Chat } from './chat.ts'
import { UnreadConversationCountDocument } from './generated/graphql.ts'
import { createValue, type Observable } from './shared/observable.ts'
import { perChat } from './shared/per-chat.ts'

// How many conversations have something unread, muted and archived ones left out: what apps show in their title or on their icon.
//
// Where the whole list is loaded, the list says it. Otherwise the server counts: with each link, half a minute later, when it knows what was
// read without a link, whenever a conversation becomes known, and when others become read or unread, twice a minute at most. In between, the
// conversations that were known at the last count tell what has changed. What changed while the server counted may be in the count or not;
// the next count is right.

/** The server counts no further. */
const countMax = 100
const countEveryMs = 30_000

type Known = ReadonlyMap<string, boolean>

export const unreadCountOf = perChat(createUnreadCount)

function createUnreadCount(chat: Chat): Observable<number> {
  const count = createValue(0)
  /** The server's count, and what was known when it came. */
  let counted: { total: number; known: Known } | undefined
  let reading = false
  let asked: Known = new Map()
  let timer: ReturnType<typeof setTimeout> | undefined
  /** The list is read again with each link. */
  let isNewLink = false
  let subscribers = 0
  let stops: (() => void)[] = []

  const isPartOfTheList = (): boolean => chat.conversations.get().hasMore

  function show(): void {
    const known = unreadIn(chat)
    if (!counted || !isPartOfTheList()) return void count.set(Math.min(unreadAmong(known, known), countMax))
    const { total, known: then } = counted
    const now = total - unreadAmong(then, then) + unreadAmong(then, known)
    // How many there are beyond the last that is counted is unknown.
    count.set(total >= countMax ? total : Math.min(Math.max(0, now), countMax))
  }

  function onList(): void {
    show()
    if (!isPartOfTheList()) return
    const known = [...unreadIn(chat)]
    const isUnknown = known.some(([id]) => !counted?.known.has(id))
    if (isUnknown || isNewLink) void read()
    if (isNewLink || known.some(([id, unread]) => asked.get(id) !== unread)) readLater()
    isNewLink = false
  }

  function readLater(): void {
    timer ??= setTimeout(() => void read(), countEveryMs)
  }

  /** If this fails, the next link reads again, or the next change of the list. */
  async function read(): Promise<void> {
    if (reading) return
    reading = true
    clearTimeout(timer)
    timer = undefined
    asked = unreadIn(chat)
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
      isNewLink = true
      return () => undefined
    }
    stops = [chat.onLink(onLink), chat.conversations.subscribe(onList), () => clearTimeout(timer)]
    onList()
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
        if (subscribers > 0) return
        for (const stop of stops) stop()
        timer = undefined
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
        unreadCount > 0 && !archived && mutedUntil === null,
      ]),
  )

const unreadAmong = (ids: Known, unread: Known): number => [...ids.keys()].filter((id) => unread.get(id)).length
