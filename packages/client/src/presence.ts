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
import { createWatched } from './state/watched.ts'

// What an application imports as `parley/client/presence`: who is there. A stream for everybody somebody looks at, which begins with
// how they are; where there are few streams or none, they are asked for one by one. Without a link nobody knows.
//
//   another one is looked at                           the stream is opened anew a moment later, for all of them
//   the new stream opens before the old one is closed  both say the same
//   a chat is new: they may be strangers no more       opened anew, too, if somebody's presence is not known

export type { PresenceState }
export type Presence = NonNullable<PresenceFieldsFragment['presence']>

/** A list that is scrolled changes whom it shows with every row. */
const reopenMs = 100
const askEveryMs = 5000
/** As many as the server takes at a time. */
const watchedMax = 100

const everybody = new WeakMap<Chat, ReturnType<typeof createPresence>>()

/** Undefined while it is not known, or not the user's to know. Followed while somebody is subscribed. */
export function presenceOf(chat: Chat, userId: string): Observable<Presence | undefined> {
  const presence = everybody.get(chat) ?? createPresence(chat)
  everybody.set(chat, presence)
  return presence.of(userId)
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
    changed.tell(userId)
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
      // Should it fail, the next round tells.
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
