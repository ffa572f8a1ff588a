import type { LogEntry } from '../../ports/log.ts'
import { ChatError } from '../../protocol/errors.ts'
import type { ConversationId, Seq } from '../../protocol/ids.ts'
import type { Position, Positions, Shows } from '../streams/positions.ts'
import type { Log } from './log.ts'
import type { LogPage } from './read-together.ts'

const pageRows = 100

export type LogPages<Row extends LogEntry> = ReturnType<typeof createLogPages<Row>>

type Needs<Row extends LogEntry> = {
  log: Log
  shows: Shows<Row>
  /**
   * Returns the seq of what comes before the first row shown, for a stream that begins after a row it does not show. The user sees only
   * what is above `floor`, so it need not look further down.
   */
  lastBefore?: (conversationId: ConversationId, seq: Seq, floor: Seq) => Promise<Seq>
  /** Whether `lastBefore` also finds group changes. The row this stream begins after may then be one that it has shown. */
  notices?: boolean
}

/**
 * Reads the pages of the logs from a stream's positions on, and finds what comes before the first row it shows.
 *
 * With `waitedBelow`, this reader has waited for the seqs under it, and gets the rows up to the next hole without another wait. Without it,
 * every hole is waited for while the page is read.
 */
export function createLogPages<Row extends LogEntry>({ log, shows, lastBefore, notices = false }: Needs<Row>) {
  async function read(positions: Positions<Row>, id: ConversationId, waitedBelow?: Seq): Promise<LogPage> {
    if (!positions.isOpen(id)) return { rows: [], end: true }
    const position = positions.of(id)
    if (position.at > 0 && !position.begun) return readFirst(positions, id, waitedBelow)
    const page = await above(id, position.at, waitedBelow)
    position.begun = true
    return page
  }

  async function above(id: ConversationId, after: Seq, waitedBelow: Seq | undefined): Promise<LogPage> {
    if (waitedBelow === undefined) {
      const rows = await log.above(id, after, pageRows)
      return { rows, end: rows.length < pageRows }
    }
    const { rows, beyond } = await log.aboveWaited(id, after, pageRows, waitedBelow)
    return { rows, beyond, end: rows.length < pageRows || beyond.length > 0 }
  }

  /** The first page includes the row this stream begins after, to check that it exists and is one that the stream shows. */
  async function readFirst(
    positions: Positions<Row>,
    id: ConversationId,
    waitedBelow: Seq | undefined,
  ): Promise<LogPage> {
    const position = positions.of(id)
    const { at } = position
    const { rows, ...rest } = await above(
      id,
      at - 1,
      waitedBelow === undefined ? undefined : Math.max(waitedBelow, at + 1),
    )
    const [startRow] = rows
    if (positions.isHeld(id)) {
      if (!startRow)
        throw new ChatError('SEQ_OUT_OF_RANGE', 'after names a seq beyond the last one.', { field: 'after' })
    } else if (lastBefore && startRow && !shows(startRow, positions.joinedSeq(id))) {
      position.shownSeq = await shownBefore(positions, id, notices && startRow.kind === 'group' ? at + 1 : at)
    }
    position.begun = true
    return { rows: rows.slice(1), ...rest }
  }

  /** Looks only among what the user may see. */
  async function shownBefore(positions: Positions<Row>, id: ConversationId, seq: Seq): Promise<Seq> {
    const floor = positions.floor(id)
    const shownSeq = (await lastBefore?.(id, seq, floor)) ?? 0
    return shownSeq > floor ? shownSeq : 0
  }

  /** Whether `position.shownSeq` is what comes before the first row shown. At the start it may be the seq of a change or a void. */
  const knowsStart = (positions: Positions<Row>, id: ConversationId, { at, begun }: Position): boolean =>
    !lastBefore || at === 0 || begun || positions.isHeld(id)

  return { read, shownBefore, knowsStart }
}
