import type { LogRow } from '../../ports/log.ts'
import { type ConversationId, isGroupId, type Seq } from '../../protocol/ids.ts'
import { SmallMap } from '../../shared/small-map.ts'

/** An entry as a stream shows it. */
export type Shown<Row> = { row: Row; previousSeq: Seq; catchUp: boolean }

export type Position = {
  /** The stream is past every cell up to here. */
  at: Seq
  /** The seq of the last row shown; at the start, the seq the stream begins after. */
  shownSeq: Seq
  /** The seq of the last message or change shown, as `shownSeq` without notices: only these are delivered to a device. */
  reachedSeq: Seq
  /** Whether it is known which row comes before the first one shown. */
  begun: boolean
  /**
   * Where the user's view begins: in a group while the user is a member as far as the stream has read, in a direct chat only if there is a
   * floor. With notices it includes this seq.
   */
  joinedSeq: Seq | undefined
}

/** Whether a stream shows this row to a user whose view begins after `joinedSeq`. */
export type Shows<Row extends LogRow> = (row: LogRow, joinedSeq: Seq) => row is Row

/**
 * `held` is what the client says it holds. `kept` is what the server knows, which counts where the client names nothing: how far this device has
 * got, if it lets the server keep that; otherwise how far the user's devices have got.
 */
export type Starts = { held: ReadonlyMap<ConversationId, Seq>; kept: ReadonlyMap<ConversationId, Seq> }

/** How far one stream has got in each conversation. This is what makes it show each entry once and in order. */
export class Positions<Row extends LogRow> {
  readonly #positions = new SmallMap<ConversationId, Position>()
  readonly #held: Starts['held']
  readonly #kept: Starts['kept']
  readonly #shows: Shows<Row>
  /** Whether a member's view of a group begins with the change that added them, and not after it. */
  readonly #notices: boolean
  /** The position that was looked up last. Most events are of the same conversation as the one before, and a map lookup is slower. */
  #latestId: ConversationId | undefined
  #latest: Position | undefined

  constructor({ held, kept }: Starts, shows: Shows<Row>, notices = false) {
    this.#held = held
    this.#kept = kept
    this.#shows = shows
    this.#notices = notices
  }

  of(conversationId: ConversationId): Position {
    const known = this.#find(conversationId)
    if (known) return known
    const start = this.#startOf(conversationId)
    // A kept position is no delivery: of a device it may be above the user's boundary, where its streams had nothing to show.
    const reachedSeq = this.#held.get(conversationId) ?? 0
    const position = { at: start, shownSeq: start, reachedSeq, begun: false, joinedSeq: undefined }
    this.#positions.set(conversationId, position)
    return position
  }

  #startOf(conversationId: ConversationId): Seq {
    return this.#held.get(conversationId) ?? this.#kept.get(conversationId) ?? 0
  }

  #find(conversationId: ConversationId): Position | undefined {
    if (conversationId !== this.#latestId || !this.#latest) this.#latest = this.#positions.get(conversationId)
    // It is set also where it is equal: all streams that hear of an event then compare the same string object, which is faster.
    this.#latestId = conversationId
    return this.#latest
  }

  isHeld(conversationId: ConversationId): boolean {
    return this.#held.has(conversationId)
  }

  at(conversationId: ConversationId): Seq {
    return this.#find(conversationId)?.at ?? this.#startOf(conversationId)
  }

  /** Moves past the row if it is the next one. Returns the row if it is to be shown. */
  pass(row: LogRow, catchUp: boolean): Shown<Row> | undefined {
    const position = this.of(row.conversationId)
    if (row.seq !== position.at + 1) return undefined
    const shown = this.show(row, position, catchUp)
    this.moveTo(row.seq, position, shown !== undefined, 'notice' in row)
    return shown
  }

  /** Returns the row as it would be shown next, or undefined if it is not to be shown. */
  show(row: LogRow, { shownSeq, joinedSeq = 0 }: Position, catchUp: boolean): Shown<Row> | undefined {
    return this.#shows(row, joinedSeq) ? { row, previousSeq: shownSeq, catchUp } : undefined
  }

  moveTo(seq: Seq, position: Position, isShown: boolean, isNotice = false): void {
    position.at = seq
    if (isShown) position.shownSeq = seq
    if (isShown && !isNotice) position.reachedSeq = seq
    // Nothing comes before the first cell.
    if (seq === 1) position.begun = true
  }

  /** A direct chat is always open: only its members get its events. */
  isOpen(id: ConversationId): boolean {
    return !isGroupId(id) || this.#find(id)?.joinedSeq !== undefined
  }

  /**
   * Opens a group to this reader, who sees only what is above `joinedSeq`, and with notices that one too; or closes it where `joinedSeq` is
   * undefined. What is at or below `floorSeq` nobody sees any more.
   */
  admit(id: ConversationId, joinedSeq: Seq | undefined, floorSeq: Seq = 0): void {
    if (joinedSeq === undefined && !this.isOpen(id)) return
    const position = this.of(id)
    const isCut = joinedSeq !== undefined && floorSeq > 0 && joinedSeq <= floorSeq
    position.joinedSeq = isCut ? floorSeq + (this.#notices ? 1 : 0) : joinedSeq
    const floor = this.floor(id)
    // The reader is shown the change that added them, and nothing that comes before it.
    if ((this.#notices || isCut) && position.at <= floor && !position.begun && !this.isHeld(id)) {
      position.shownSeq = 0
      position.begun = true
    }
    position.at = Math.max(position.at, floor)
  }

  /** Returns the groups that are open. */
  groups(): ConversationId[] {
    const open = [...this.#positions].filter(([id, { joinedSeq }]) => isGroupId(id) && joinedSeq !== undefined)
    return open.map(([id]) => id)
  }

  joinedSeq(id: ConversationId): Seq {
    return this.#find(id)?.joinedSeq ?? 0
  }

  /** Returns how far the stream has got where it has gone past at least `cells` of them from a kept position on, and has shown none. */
  passedInVain(cells: number): [ConversationId, Seq][] {
    return [...this.#positions].flatMap(([id, { at, shownSeq }]): [ConversationId, Seq][] => {
      const start = this.#startOf(id)
      return !this.isHeld(id) && shownSeq <= start && at - start >= cells ? [[id, at]] : []
    })
  }

  /** Everything that this reader may see is above it. */
  floor(id: ConversationId): Seq {
    return Math.max(0, this.joinedSeq(id) - (this.#notices ? 1 : 0))
  }

  /** Returns the seq of the last row shown in each conversation, notices left out. */
  all(): [ConversationId, Seq][] {
    return [...this.#positions].map(([id, position]) => [id, position.reachedSeq])
  }
}
