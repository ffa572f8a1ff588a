import type { LogRow } from '../ports/log.ts'
import type { ConversationId, Seq } from '../protocol/ids.ts'

/** An entry as a stream shows it. */
export type Shown<Row> = { row: Row; previousSeq: Seq; catchUp: boolean }

/** `at`: every cell up to here is done with. `shownSeq`: the last one shown, or what stands in for it at the start. */
type Position = { at: Seq; shownSeq: Seq }

/** How far one stream has got in each conversation: what makes it show each entry once and in order. */
export type Positions = ReturnType<typeof createPositions>

export function createPositions<Row extends LogRow>(
  startOf: (conversationId: ConversationId) => Seq,
  shows: (row: LogRow) => row is Row,
) {
  const positions = new Map<ConversationId, Position>()

  function of(conversationId: ConversationId): Position {
    let position = positions.get(conversationId)
    if (!position) {
      const start = startOf(conversationId)
      position = { at: start, shownSeq: start }
      positions.set(conversationId, position)
    }
    return position
  }

  const at = (conversationId: ConversationId): Seq => of(conversationId).at

  /** Goes past the row if it is the next one. Returns it if it is to be shown. */
  function pass(row: LogRow, catchUp: boolean): Shown<Row> | undefined {
    const position = of(row.conversationId)
    if (row.seq !== position.at + 1) return undefined
    position.at = row.seq
    if (!shows(row)) return undefined
    const shown = { row, previousSeq: position.shownSeq, catchUp }
    position.shownSeq = row.seq
    return shown
  }

  /** What is at or below this is not for this reader. */
  function skipTo(conversationId: ConversationId, seq: Seq): void {
    const position = of(conversationId)
    position.at = Math.max(position.at, seq)
  }

  /** The boundary this stream began at turned out to be a void: its first event follows an earlier message. */
  function correctStart(conversationId: ConversationId, shownSeq: Seq): void {
    of(conversationId).shownSeq = shownSeq
  }

  /** The last one shown in each. */
  const all = (): [ConversationId, Seq][] => [...positions].map(([id, position]) => [id, position.shownSeq])

  return { at, pass, skipTo, correctStart, all, has: (id: ConversationId) => positions.has(id) }
}
