import type { ChatEvent, Clock, EventListener } from './ports.ts'

/**
 * What wakes a stream. `resync`: events were lost, trust only the log. `recheck`: the slow beat, look whether one was.
 * `due`: the asked-for time has come. `closed`: the reader has gone.
 */
export type Signal = ChatEvent | { type: 'resync' | 'recheck' | 'due' | 'closed' }

/** Without a reason of one's own, every abort makes a DOMException with a stack. */
const woken = 'woken'

export type Inbox = ReturnType<typeof createInbox>

/**
 * A bounded queue between the events and one reader. A reader that does not keep up costs neither memory nor anybody
 * else's time: when the queue is full it is emptied, and the reader is told to read from the log instead.
 */
export function createInbox(clock: Clock, options: { limit: number }) {
  const queue: ChatEvent[] = []
  let lost = false
  let recheckDue = false
  let closed = false
  let wake: AbortController | undefined

  const listener: EventListener = {
    event(event) {
      if (lost) return
      if (queue.length >= options.limit) return listener.gap()
      queue.push(event)
      wake?.abort(woken)
    },
    gap() {
      queue.length = 0
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
    const event = queue.shift()
    if (event) return event
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
  const untaken = (): readonly ChatEvent[] | undefined => (lost ? undefined : queue)

  return { listener, recheck, close, take, untaken }
}
