import type { Clock } from '../../ports/clock.ts'
import type { ChatEvent, EventListener } from '../../ports/events.ts'
import { type Coalesce, createCoalescingQueue, createQueue, type Queue } from './queue.ts'

/**
 * What wakes a stream. `resync`: events were lost, so only the log can be trusted. `periodicResync`: the stream is to look whether an event
 * was lost. `due`: the time it asked for has come. `closed`: the reader has gone.
 */
export type Signal = ChatEvent | { type: 'resync' | 'periodicResync' | 'due' | 'closed' }

/** Without a reason of one's own, every abort makes a DOMException with a stack. */
const woken = 'woken'

export type InboxOptions = {
  limit: number
  /** Called when more would wait than that. */
  onOverflow?: () => void
  /** What this reader wants. The rest is dropped at the door, so that it cannot fill the queue. */
  accepts: (event: ChatEvent) => boolean
  coalesce?: Coalesce
}

/** Who may be done with an event at once. */
export interface Hasty {
  /** Asked only while its reader waits and nothing else does. Returns whether it is done with the event. */
  takeAtOnce(event: ChatEvent): boolean
}

export const ofTypes =
  (...types: ChatEvent['type'][]) =>
  (event: ChatEvent): boolean =>
    types.includes(event.type)

export const createInbox = (clock: Clock, options: InboxOptions): Inbox => new Inbox(clock, options)

/**
 * A bounded queue between the events and one reader. A reader that does not keep up costs neither memory nor anybody
 * else's time: when the queue is full it is emptied, and the reader is told to read from the log instead.
 *
 * There is one for each open stream, so it is small while nothing waits. A reader that waits here without a time is one to
 * whom nothing is due and nothing is on its way: `#wake` is there from the moment it waits to the moment it is woken, and all
 * that may come before an event wakes it. So while `#wake` is there the event may pass the queue by:
 *
 * | while an event comes | `#wake` | the event |
 * |---|---|---|
 * | the reader waits | yes | is offered, and waits in the queue only if it is declined |
 * | it was woken and has not gone on yet: by an event, a loss, the periodic resync, the end | no | waits in the queue |
 * | it shows something, or reads the log | no | waits in the queue |
 * | it waits for a gap to close, until a certain time | no | waits in the queue |
 * | another event is being offered | yes, see `#offering` | waits in the queue |
 */
export class Inbox implements EventListener {
  /** Who is offered what comes while nothing waits. */
  hasty: Hasty | undefined
  readonly #clock: Clock
  readonly #options: InboxOptions
  #queue: Queue | undefined
  #lost = false
  #periodicResyncDue = false
  #closed = false
  #offering = false
  #wake: ((signal: Signal) => void) | undefined
  #alarm: AbortController | undefined

  constructor(clock: Clock, options: InboxOptions) {
    this.#clock = clock
    this.#options = options
  }

  event(event: ChatEvent): void {
    if (this.#lost || !this.#options.accepts(event)) return
    if (this.#wake && this.#offer(event)) return
    this.#queue ??= this.#options.coalesce ? createCoalescingQueue(this.#options.coalesce) : createQueue()
    if (this.#queue.put(event, this.#options.limit)) this.#rouse()
    else {
      this.#options.onOverflow?.()
      this.gap()
    }
  }

  gap(): void {
    this.#queue = undefined
    this.#lost = true
    this.#rouse()
  }

  periodicResync(): void {
    this.#periodicResyncDue = true
    this.#rouse()
  }

  /** Ends the reading. Events still arrive: see `untaken`. */
  close(): void {
    this.#closed = true
    this.#rouse()
  }

  /** The next signal; `due` when nothing has come by `dueAtMs`. */
  take(dueAtMs?: number): Promise<Signal> {
    const signal = this.#ready()
    if (signal) return Promise.resolve(signal)
    return dueAtMs === undefined ? this.#woken() : this.#wokenOrDue(dueAtMs)
  }

  /** What was heard and not taken, or undefined if some of it was dropped. */
  untaken(): readonly ChatEvent[] | undefined {
    return this.#lost ? undefined : (this.#queue?.all() ?? [])
  }

  /** Whoever cannot take it now can read it later: a failure is a no. */
  #offer(event: ChatEvent): boolean {
    if (!this.hasty || this.#offering) return false
    this.#offering = true
    try {
      return this.hasty.takeAtOnce(event)
    } catch {
      return false
    } finally {
      this.#offering = false
    }
  }

  #ready(): Signal | undefined {
    if (this.#closed) return { type: 'closed' }
    if (this.#lost) {
      this.#lost = false
      return { type: 'resync' }
    }
    const event = this.#queue?.shift()
    if (event) return event
    if (!this.#periodicResyncDue) return undefined
    this.#periodicResyncDue = false
    return { type: 'periodicResync' }
  }

  /** Most readers wait here most of the time: what waits is a promise and nothing else. */
  #woken(): Promise<Signal> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  async #wokenOrDue(dueAtMs: number): Promise<Signal> {
    while (dueAtMs > this.#clock.monotonic()) {
      this.#alarm = new AbortController()
      await this.#clock.sleep(dueAtMs - this.#clock.monotonic(), this.#alarm.signal)
      this.#alarm = undefined
      const signal = this.#ready()
      if (signal) return signal
    }
    return { type: 'due' }
  }

  /** Something has come. Who waits is given it in this very turn, and goes on later: what comes in between finds nobody waiting. */
  #rouse(): void {
    const signal = this.#wake && this.#ready()
    if (signal) this.#wake?.(signal)
    this.#wake = undefined
    this.#alarm?.abort(woken)
  }
}
