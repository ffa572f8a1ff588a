import type { LogRow } from '../../ports/log.ts'
import { type ConversationId, isGroupId, type Seq } from '../../protocol/ids.ts'
import { SmallMap } from '../../shared/small-map.ts'

/** An entry as a stream shows it. */
export type Shown<Row> = { row: Row; previousSeq: Seq; catchUp: boolean }

export type Position = {
  /** Every cell up to here is done with. */
  at: Seq
  /** The last one shown, or what stands in for it at the start. */
  shownSeq: Seq
  /** It is known what comes before the first one shown. */
  begun: boolean
  /** Of a group: where the user's view of it begins, while they are in it, as far as the stream has got. */
  joinedSeq: Seq | undefined
}

/** Whether a stream shows this, to somebody whose view begins after `joinedSeq`. */
export type Shows<Row extends LogRow> = (row: LogRow, joinedSeq: Seq) => row is Row

/** `held`: what the client says it holds. `delivered`: how far the user's devices have got, for what the client does not name. */
export type Starts = { held: ReadonlyMap<ConversationId, Seq>; delivered: ReadonlyMap<ConversationId, Seq> }

/** How far one stream has got in each conversation: what makes it show each entry once and in order. */
export class Positions<Row extends LogRow> {
  readonly #positions = new SmallMap<ConversationId, Position>()
  readonly #held: Starts['held']
  readonly #delivered: Starts['delivered']
  readonly #shows: Shows<Row>
  /** What was asked for last: most events are of the same conversation as the one before, and its map is far away in memory. */
  #latestId: ConversationId | undefined
  #latest: Position | undefined

  constructor({ held, delivered }: Starts, shows: Shows<Row>) {
    this.#held = held
    this.#delivered = delivered
    this.#shows = shows
  }

  of(conversationId: ConversationId): Position {
    const known = this.#find(conversationId)
    if (known) return known
    const start = this.#startOf(conversationId)
    const position = { at: start, shownSeq: start, begun: false, joinedSeq: undefined }
    this.#positions.set(conversationId, position)
    return position
  }

  #startOf(conversationId: ConversationId): Seq {
    return this.#held.get(conversationId) ?? this.#delivered.get(conversationId) ?? 0
  }

  #find(conversationId: ConversationId): Position | undefined {
    if (conversationId !== this.#latestId || !this.#latest) this.#latest = this.#positions.get(conversationId)
    // Also where it is the same: all who hear of an event then compare with one and the same text.
    this.#latestId = conversationId
    return this.#latest
  }

  isHeld(conversationId: ConversationId): boolean {
    return this.#held.has(conversationId)
  }

  at(conversationId: ConversationId): Seq {
    return this.#find(conversationId)?.at ?? this.#startOf(conversationId)
  }

  /** Goes past the row if it is the next one. Returns it if it is to be shown. */
  pass(row: LogRow, catchUp: boolean): Shown<Row> | undefined {
    const position = this.of(row.conversationId)
    if (row.seq !== position.at + 1) return undefined
    const shown = this.show(row, position, catchUp)
    this.moveTo(row.seq, position, shown !== undefined)
    return shown
  }

  /** The row as it would be shown next; undefined if it is not to be shown. */
  show(row: LogRow, { shownSeq, joinedSeq = 0 }: Position, catchUp: boolean): Shown<Row> | undefined {
    return this.#shows(row, joinedSeq) ? { row, previousSeq: shownSeq, catchUp } : undefined
  }

  moveTo(seq: Seq, position: Position, isShown: boolean): void {
    position.at = seq
    if (isShown) position.shownSeq = seq
    // Nothing comes before the first cell.
    if (seq === 1) position.begun = true
  }

  /** A direct chat is open to whoever hears of it. */
  isOpen(id: ConversationId): boolean {
    return !isGroupId(id) || this.#find(id)?.joinedSeq !== undefined
  }

  /** Into a group, where what is at or below `joinedSeq` is not for this reader; or out of it. */
  admit(id: ConversationId, joinedSeq: Seq | undefined): void {
    if (joinedSeq === undefined && !this.isOpen(id)) return
    const position = this.of(id)
    position.joinedSeq = joinedSeq
    position.at = Math.max(position.at, joinedSeq ?? 0)
  }

  /** The groups the user is in. */
  groups(): ConversationId[] {
    return [...this.#positions].filter(([, { joinedSeq }]) => joinedSeq !== undefined).map(([id]) => id)
  }

  joinedSeq(id: ConversationId): Seq {
    return this.#find(id)?.joinedSeq ?? 0
  }

  /** The last one shown in each. */
  all(): [ConversationId, Seq][] {
    return [...this.#positions].map(([id, position]) => [id, position.shownSeq])
  }
}
