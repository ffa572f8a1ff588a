import type { Clock } from '../../ports/clock.ts'
import type { ChatEvent, EventListener } from '../../ports/events.ts'
import type { SyncSink } from '../../ports/live-stream.ts'
import type { ConversationId, Seq, UserId } from '../../protocol/ids.ts'
import { type Coalesce, createCoalescingQueue, createQueue, type Queue } from './queue.ts'

/**
 * What wakes a stream. `resync`: events were lost, so only the log can be trusted. `periodicResync`: the stream must check whether an event
 * was lost; what it looks up now stays as it is as long as there is that stamp. `due`: the time it asked for has come. `closed`: the stream was
 * ended.
 */
export type Signal = ChatEvent | { type: 'periodicResync'; stamp?: string } | { type: 'resync' | 'due' | 'closed' }

/** A stream that compares positions with counters. The scheduler does so in its place, for many streams at a time, and wakes it only if need be. */
export interface ComparedStream {
  readonly userId: UserId
  /** What it shows is also in the user's boundaries and settings, or in boundaries of others. Then a stamp says that none of these has changed. */
  readonly ofTicks?: boolean
  /**
   * Returns the conversations of the stream, if they are known to be what the user is in as long as the index has this stamp. Otherwise returns
   * undefined: then the stream must look them up.
   */
  compared(stamp: string): readonly ConversationId[] | undefined
  /** Returns whether a stream has nothing to look for in a conversation with this counter; undefined is one that Redis has forgotten. */
  hasReached(id: ConversationId, counter: Seq | undefined): boolean
  /** The groups whose ticks it shows, with the tick stamps under which it has read them. */
  readonly groupTicks?: ReadonlyMap<ConversationId, string> | undefined
}

/** An abort without a reason makes a DOMException with a stack, which is slow. */
const woken = 'woken'

const plainResync: Signal = { type: 'periodicResync' }

export type InboxOptions = {
  limit: number
  /** Called when more events than `limit` would wait. */
  onOverflow?: () => void
  /** Says which events this reader wants. The others are dropped before the queue, so that they cannot fill it. */
  accepts: (event: ChatEvent) => boolean
  coalesce?: Coalesce
}

export const ofTypes =
  (...types: ChatEvent['type'][]) =>
  (event: ChatEvent): boolean =>
    types.includes(event.type)

export const createInbox = (clock: Clock, options: InboxOptions): Inbox => new Inbox(clock, options)

/**
 * A bounded queue between the events and one reader. A slow reader costs neither memory nor the time of other readers: when the queue is
 * full it is emptied, and the reader is told to read from the log instead.
 *
 * There is one inbox for each open stream, so it is small while nothing waits. `#wake` is set from the moment the reader waits here without a
 * time until it is woken, and everything that has to come before an event wakes the reader. So while `#wake` is set, nothing is due and
 * nothing is queued, and an event may go past the queue to the sink:
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
  /** Is offered each event that comes while the reader waits and the queue is empty. */
  sink: SyncSink<ChatEvent> | undefined
  /** Is set if the stream need not be woken for a periodic resync that would find nothing. */
  comparedStream: ComparedStream | undefined
  readonly #clock: Clock
  readonly #options: InboxOptions
  #queue: Queue | undefined
  #lost = false
  #periodicResyncDue: Signal | undefined
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

  periodicResync(stamp?: string): void {
    this.#periodicResyncDue = stamp === undefined ? plainResync : { type: 'periodicResync', stamp }
    this.#rouse()
  }

  /** Ends the reading. Events still arrive; see `untaken`. */
  close(): void {
    this.#closed = true
    this.#rouse()
  }

  /** Resolves to the next signal, or to `due` when nothing has come by `dueAtMs`. */
  take(dueAtMs?: number): Promise<Signal> {
    const signal = this.#ready()
    if (signal) return Promise.resolve(signal)
    return dueAtMs === undefined ? this.#woken() : this.#wokenOrDue(dueAtMs)
  }

  /** Returns the events that were heard and not taken, or undefined if some were dropped. */
  untaken(): readonly ChatEvent[] | undefined {
    return this.#lost ? undefined : (this.#queue?.all() ?? [])
  }

  /** A sink that throws has declined: the event is then queued, and the reader reads it later. */
  #offer(event: ChatEvent): boolean {
    if (!this.sink || this.#offering) return false
    this.#offering = true
    try {
      return this.sink.tryPush(event)
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
    const due = this.#periodicResyncDue
    this.#periodicResyncDue = undefined
    return due
  }

  /** Most readers wait here most of the time, so nothing but a promise is kept for them. */
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

  /** Wakes the reader. It gets the signal in this turn and goes on in a later one; what comes in between finds no reader waiting. */
  #rouse(): void {
    const signal = this.#wake && this.#ready()
    if (signal) this.#wake?.(signal)
    this.#wake = undefined
    this.#alarm?.abort(woken)
  }
}
