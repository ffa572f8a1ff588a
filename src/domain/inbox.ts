import type { ChatEvent, Clock, EventListener } from './ports.ts'

/**
 * What wakes a stream. `resync`: events were lost, trust only the log. `recheck`: the slow beat, look whether one was.
 * `due`: the asked-for time has come. `closed`: the reader has gone.
 */
export type Signal = ChatEvent | { type: 'resync' | 'recheck' | 'due' | 'closed' }

/** Without a reason of one's own, every abort makes a DOMException with a stack. */
const woken = 'woken'

export type InboxOptions = {
  limit: number
  /** Called when more would wait than that. */
  onOverflow?: () => void
  /** What this reader wants. The rest is dropped at the door, so that it cannot fill the queue. */
  accepts: (event: ChatEvent) => boolean
  /** Of two that wait with the same key one is made, at the place of the first. */
  coalesce?: { keyOf(event: ChatEvent): string; merge(waiting: ChatEvent, newer: ChatEvent): ChatEvent }
}

export const ofTypes =
  (...types: ChatEvent['type'][]) =>
  (event: ChatEvent): boolean =>
    types.includes(event.type)

export type Inbox = ReturnType<typeof createInbox>

/**
 * A bounded queue between the events and one reader. A reader that does not keep up costs neither memory nor anybody
 * else's time: when the queue is full it is emptied, and the reader is told to read from the log instead.
 */
export function createInbox(clock: Clock, { limit, onOverflow, accepts, coalesce }: InboxOptions) {
  /** In the order they came, by their key, or by a number where there is none. */
  const queue = new Map<string | number, ChatEvent>()
  let heard = 0
  let lost = false
  let recheckDue = false
  let closed = false
  let wake: AbortController | undefined

  const listener: EventListener = {
    event(event) {
      if (lost || !accepts(event)) return
      heard += 1
      const key = coalesce?.keyOf(event) ?? heard
      const waiting = queue.get(key)
      if (!waiting && queue.size >= limit) {
        onOverflow?.()
        return listener.gap()
      }
      queue.set(key, waiting && coalesce ? coalesce.merge(waiting, event) : event)
      wake?.abort(woken)
    },
    gap() {
      queue.clear()
      lost = true
      wake?.abort(woken)
    },
  }

  function recheck(): void {
    recheckDue = true
    wake?.abort(woken)
  }

  /** Ends the reading, not the hearing: see `untaken`. */
  function close(): void {
    closed = true
    wake?.abort(woken)
  }

  function ready(): Signal | undefined {
    if (closed) return { type: 'closed' }
    if (lost) {
      lost = false
      return { type: 'resync' }
    }
    for (const [key, event] of queue) {
      queue.delete(key)
      return event
    }
    if (!recheckDue) return undefined
    recheckDue = false
    return { type: 'recheck' }
  }

  /** The next signal; `due` when nothing has come by `dueAtMs`. */
  async function take(dueAtMs?: number): Promise<Signal> {
    for (;;) {
      const signal = ready()
      if (signal) return signal
      if (dueAtMs !== undefined && dueAtMs <= clock.now()) return { type: 'due' }
      wake = new AbortController()
      await waitFor(wake.signal, dueAtMs)
      wake = undefined
    }
  }

  async function waitFor(signal: AbortSignal, dueAtMs: number | undefined): Promise<void> {
    if (dueAtMs !== undefined) return clock.sleep(dueAtMs - clock.now(), signal)
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
  }

  /** What was heard and not taken, or undefined if some of it was dropped. */
  const untaken = (): readonly ChatEvent[] | undefined => (lost ? undefined : [...queue.values()])

  return { listener, recheck, close, take, untaken }
}
