import type { Clock } from '../../ports/clock.ts'
import type { LogRow } from '../../ports/log.ts'
import type { ConversationId, Seq } from '../../protocol/ids.ts'

/** A missing seq is waited for this long before it counts as a hole. */
const patienceMs = 300
const heldMax = 64

/**
 * `below`: the missing seqs under this one were known to be given out when the wait began. `upTo` is the highest seq that is known to be given
 * out by now; it is infinite where only the log can tell.
 */
type Gap = { below: Seq; upTo: Seq; dueAtMs: number; held: Map<Seq, LogRow> }

/** A wait that is over. The log is read now, and a cell under `below` that is still empty is a hole. */
type Due = { conversationId: ConversationId; below: Seq }

/**
 * Holds the conversations in which something seems to be missing. Two sends that overlap often publish in the wrong order. A short wait saves
 * a read, and keeps a slow writer from being voided.
 *
 * The wait is for the seqs that are missing now. When one of them comes, the wait for the others begins again: in a busy conversation there
 * is always something on its way, and a wait that never began again would soon void a write that has only just begun.
 */
export class Gaps {
  readonly #clock: Clock
  /** It is undefined until the first gap, as most streams never have one. */
  #gaps: Map<ConversationId, Gap> | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Begins to wait for the seqs up to this one, which are known to be given out, unless this conversation has a gap already. */
  suspect(conversationId: ConversationId, upTo: Seq): Gap {
    this.#gaps ??= new Map()
    let gap = this.#gaps.get(conversationId)
    if (!gap) {
      gap = { below: Number.isFinite(upTo) ? upTo + 1 : 0, upTo, dueAtMs: this.#dueAtMs(), held: new Map() }
      this.#gaps.set(conversationId, gap)
    }
    gap.upTo = Math.max(gap.upTo, upTo)
    return gap
  }

  /** Has the log read after the wait, no matter which rows come until then. */
  suspectAny(conversationId: ConversationId): void {
    this.suspect(conversationId, Number.POSITIVE_INFINITY)
  }

  /** Keeps rows that came too early; they are ascending. Rows that find no room will be read from the log. */
  hold(rows: readonly LogRow[]): void {
    const last = rows.at(-1)
    if (!last) return
    const { held } = this.suspect(last.conversationId, last.seq)
    for (const row of rows) if (held.size < heldMax) held.set(row.seq, row)
  }

  /**
   * Takes the held row at this seq, for a reader that has just got so far. The gap is closed when the reader has got as far as seqs are known
   * to be given out. If the next row is missing, the wait for it begins now.
   */
  takeNext(conversationId: ConversationId, seq: Seq): LogRow | undefined {
    const gap = this.#gaps?.get(conversationId)
    if (!gap) return undefined
    const row = gap.held.get(seq)
    gap.held.delete(seq)
    if (row || !Number.isFinite(gap.upTo)) return row
    if (seq > gap.upTo) this.#gaps?.delete(conversationId)
    else {
      gap.below = gap.upTo + 1
      gap.dueAtMs = this.#dueAtMs()
    }
    return undefined
  }

  nextDueAtMs(): number | undefined {
    let next: number | undefined
    for (const { dueAtMs } of this.#gaps?.values() ?? []) next = Math.min(next ?? dueAtMs, dueAtMs)
    return next
  }

  /** Takes the conversations whose wait is over. */
  takeDue(): Due[] {
    const now = this.#clock.monotonic()
    const due = [...(this.#gaps ?? [])].filter(([, gap]) => gap.dueAtMs <= now)
    for (const [id] of due) this.#gaps?.delete(id)
    return due.map(([conversationId, { below }]) => ({ conversationId, below }))
  }

  clear(): void {
    this.#gaps = undefined
  }

  #dueAtMs(): number {
    return this.#clock.monotonic() + patienceMs
  }
}
