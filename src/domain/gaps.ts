import type { Clock } from '../ports/clock.ts'
import type { LogEntry } from '../ports/log.ts'
import type { ConversationId, Seq } from '../protocol/ids.ts'

/** How long an event that came early waits for the ones before it, before the log is asked. */
const patienceMs = 300
const heldMax = 64

type Gap = { dueAtMs: number; held: Map<Seq, LogEntry> }

/**
 * Conversations in which something seems to be missing. Two sends that overlap often ring in the wrong order; a moment of
 * patience saves a read, and saves a writer that is only slow from being voided.
 */
export class Gaps {
  readonly #clock: Clock
  /** Most streams never have one. */
  #gaps: Map<ConversationId, Gap> | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  suspect(conversationId: ConversationId): Gap {
    this.#gaps ??= new Map()
    let gap = this.#gaps.get(conversationId)
    if (!gap) {
      gap = { dueAtMs: this.#clock.now() + patienceMs, held: new Map() }
      this.#gaps.set(conversationId, gap)
    }
    return gap
  }

  /** Keeps a message that came too early. What there is no room for will be read from the log. */
  hold(message: LogEntry): void {
    const { held } = this.suspect(message.conversationId)
    if (held.size < heldMax) held.set(message.seq, message)
  }

  /** Takes the held message at this seq. The gap is closed when nothing is held any more. */
  take(conversationId: ConversationId, seq: Seq): LogEntry | undefined {
    const gap = this.#gaps?.get(conversationId)
    const message = gap?.held.get(seq)
    gap?.held.delete(seq)
    if (message && gap?.held.size === 0) this.#gaps?.delete(conversationId)
    return message
  }

  nextDueAtMs(): number | undefined {
    let next: number | undefined
    for (const { dueAtMs } of this.#gaps?.values() ?? []) next = Math.min(next ?? dueAtMs, dueAtMs)
    return next
  }

  /** Takes the conversations whose patience is over. */
  takeDue(): ConversationId[] {
    const now = this.#clock.now()
    const due = [...(this.#gaps ?? [])].filter(([, gap]) => gap.dueAtMs <= now).map(([id]) => id)
    for (const id of due) this.#gaps?.delete(id)
    return due
  }

  clear(): void {
    this.#gaps = undefined
  }
}
