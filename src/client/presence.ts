import { backoffMs } from './backoff.ts'
import type { Chat } from './chat.ts'
import {
  PresenceChangedDocument,
  PresenceDocument,
  type PresenceFieldsFragment,
  type PresenceState,
} from './generated/graphql.ts'
import type { Follow } from './link/link.ts'
import { createListeners, type Observable } from './observable.ts'
import { createWatched } from './watched.ts'

// What an application imports as `parley/client/presence`: who is there. One stream for everybody somebody looks at; where there
// are few streams or none, they are asked for one by one. Without a link nobody knows.
//
//   the stream opens while a question is on its way    the event is the later word: the answer is dropped
//   somebody is looked at while the stream stands      they are asked for at once; the stream is opened anew a moment later
//   the new stream opens before the old one is closed  both say the same

export type { PresenceState }
export type Presence = NonNullable<PresenceFieldsFragment['presence']>

/** A list that is scrolled changes whom it shows with every row. */
const reopenMs = 200
const askEveryMs = 5000

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
  /** Events so far, by user. */
  const heard = new Map<string, number>()
  const changed = createListeners<[userId: string]>()
  const watched = createWatched()

  function put(userId: string, presence: Presence | null | undefined): void {
    const { state, lastSeenAt } = known.get(userId) ?? {}
    if (state === presence?.state && lastSeenAt === presence?.lastSeenAt) return
    if (presence) known.set(userId, presence)
    else known.delete(userId)
    changed.tell(userId)
  }

  function hear({ id, presence }: PresenceFieldsFragment): void {
    heard.set(id, (heard.get(id) ?? 0) + 1)
    put(id, presence)
  }

  async function read(userId: string, isOver: () => boolean): Promise<void> {
    const before = heard.get(userId)
    const { node } = await chat.ask(PresenceDocument, { userId })
    if (isOver() || heard.get(userId) !== before) return
    put(userId, node && 'presence' in node ? node.presence : undefined)
  }

  function onLink(follow: Follow | undefined): () => void {
    const asked = new Set<string>()
    let over = false
    let opening: ReturnType<typeof setTimeout> | undefined
    let close: () => void = () => undefined

    const readAll = (userIds: Iterable<string>) => {
      // Should it fail, the stream or the next round tells.
      for (const userId of userIds) read(userId, () => over).catch(() => undefined)
    }

    function open(failures = 0): void {
      if (!follow) return
      const userIds = [...watched.ids.get()]
      const old = close
      close =
        userIds.length === 0
          ? () => undefined
          : follow(
              PresenceChangedDocument,
              { userIds },
              {
                event: ({ presenceChanged }) => hear(presenceChanged),
                end: ({ retryable }) => {
                  if (retryable)
                    openIn(
                      backoffMs(failures + 1, () => 1),
                      failures + 1,
                    )
                },
              },
            )
      old()
    }

    function openIn(ms: number, failures = 0): void {
      clearTimeout(opening)
      opening = setTimeout(() => open(failures), ms)
    }

    function adjust(): void {
      const ids = watched.ids.get()
      for (const id of asked) if (!ids.includes(id)) asked.delete(id)
      const fresh = ids.filter((id) => !asked.has(id))
      for (const id of fresh) asked.add(id)
      readAll(fresh)
      if (follow) openIn(reopenMs)
    }

    open()
    adjust()
    const asking = follow ? undefined : setInterval(() => readAll(watched.ids.get()), askEveryMs)
    const stopAdjusting = watched.ids.subscribe(adjust)
    return () => {
      over = true
      clearTimeout(opening)
      clearInterval(asking)
      stopAdjusting()
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
