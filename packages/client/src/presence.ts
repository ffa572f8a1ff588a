import type { Chat } from './chat.ts'
import {
  PresenceChangedDocument,
  PresenceDocument,
  type PresenceFieldsFragment,
  type PresenceState,
} from './generated/graphql.ts'
import type { Follow } from './link/link.ts'
import { backoffMs } from './shared/backoff.ts'
import { createListeners, type Observable } from './shared/observable.ts'
import { perChat } from './shared/per-chat.ts'
import { createWatched } from './state/watched.ts'

// Applications import this as `@parley/client/presence`. One stream covers all users whose presence is observed; it begins with their
// current presence. Where there are few streams or none, each user is polled. Without a link, presence is unknown.
//
//   another user is observed                           the stream is reopened a moment later, for all of them
//   the new stream opens before the old one is closed  both say the same
//   a chat is new: its members may share presence now  the stream is reopened if a presence is unknown

export type { PresenceState }
export type Presence = NonNullable<PresenceFieldsFragment['presence']>

/** A list that is scrolled changes with every row, so the stream is not reopened at once. */
const reopenMs = 100
const askEveryMs = 5000
/** The server accepts this many users per stream. */
const watchedMax = 100

const presencesOf = perChat(createPresence)

/** Is undefined while it is unknown, or if the user may not see it. It is followed while it has a subscriber. */
export function presenceOf(chat: Chat, userId: string): Observable<Presence | undefined> {
  return presencesOf(chat).of(userId)
}

function createPresence(chat: Chat) {
  const known = new Map<string, Presence>()
  const observables = new Map<string, Observable<Presence | undefined>>()
  const changed = createListeners<[userId: string]>()
  const watched = createWatched()

  function put(userId: string, presence: Presence | null | undefined): void {
    const { state, lastSeenAt } = known.get(userId) ?? {}
    if (state === presence?.state && lastSeenAt === presence?.lastSeenAt) return
    if (presence) known.set(userId, presence)
    else known.delete(userId)
    changed.emit(userId)
  }

  async function read(userId: string, isOver: () => boolean): Promise<void> {
    const { node } = await chat.ask(PresenceDocument, { userId })
    if (!isOver()) put(userId, node && 'presence' in node ? node.presence : undefined)
  }

  function onLink(follow: Follow | undefined): () => void {
    let over = false
    let opening: ReturnType<typeof setTimeout> | undefined
    let close: () => void = () => undefined
    let chats = 0

    function openIn(ms: number, failures = 0): void {
      clearTimeout(opening)
      opening = setTimeout(() => (follow ? open(follow, failures) : ask()), ms)
    }

    function open(follow: Follow, failures: number): void {
      const old = close
      const userIds = [...watched.ids.get()]
      const streams: (() => void)[] = []
      while (userIds.length > 0) {
        streams.push(
          follow(
            PresenceChangedDocument,
            { userIds: userIds.splice(0, watchedMax) },
            {
              event: ({ presenceChanged: { id, presence } }) => put(id, presence),
              end({ retryable }) {
                if (retryable)
                  openIn(
                    backoffMs(failures + 1, () => 1),
                    failures + 1,
                  )
              },
            },
          ),
        )
      }
      close = () => {
        for (const stop of streams) stop()
      }
      old()
    }

    function ask(): void {
      // If it fails, the next round asks again.
      for (const userId of watched.ids.get()) read(userId, () => over).catch(() => undefined)
      if (watched.ids.get().length > 0) openIn(askEveryMs)
    }

    openIn(0)
    const stops = [
      watched.ids.subscribe(() => openIn(reopenMs)),
      chat.conversations.subscribe(() => {
        const { length } = chat.conversations.get().conversations
        if (length > chats && watched.ids.get().some((id) => !known.has(id))) openIn(reopenMs)
        chats = length
      }),
    ]
    return () => {
      over = true
      clearTimeout(opening)
      for (const stop of stops) stop()
      close()
      for (const userId of [...known.keys()]) put(userId, undefined)
    }
  }

  function of(userId: string): Observable<Presence | undefined> {
    const observable = observables.get(userId) ?? {
      get: () => known.get(userId),
      subscribe(listener: () => void) {
        const stops = [
          changed.add((id) => {
            if (id === userId) listener()
          }),
          watched.watch(userId),
        ]
        return () => {
          for (const stop of stops) stop()
        }
      },
    }
    observables.set(userId, observable)
    return observable
  }

  chat.onLink(onLink)
  return { of }
}
