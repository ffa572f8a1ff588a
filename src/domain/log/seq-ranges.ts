import { LRUCache } from 'lru-cache'
import type { Seq } from '../../protocol/ids.ts'

// Remembers ranges of a log in which a reader finds nothing, such as a thousand reactions in a row. Cells are written once and no reader goes
// past an empty one, so what was seen of a range is true for ever, and the next reader jumps over it. A node that knows of no range reads in
// large steps and remembers how far it got.

export type SeqRange = { from: Seq; to: Seq }
/** The limit for one log and one kind of reader. It is above what `unreadCount` counts, as each counted message ends a range. */
const eachMax = 256
/** A log may have this many ranges on average: few logs have more than one or two. */
const meanMax = 32
/** A log takes this much memory beside its ranges. The unit is a range. */
const logSize = 4

export function createSeqRanges(logsMax: number) {
  // The cache is bounded by size alone: one that is given a count takes the memory for so many entries when it is made.
  const known = new LRUCache<string, readonly SeqRange[]>({
    maxSize: (logSize + meanMax) * logsMax,
    sizeCalculation: (ranges) => logSize + ranges.length,
  })

  /** Adds a range and joins it with those it touches. If there are too many, the longest are kept. */
  function note(key: string, from: Seq, to: Seq): void {
    if (to < from) return
    const all = known.get(key) ?? []
    const touches = (each: SeqRange) => each.from <= to + 1 && each.to >= from - 1
    const joined = all.filter(touches)
    const whole = {
      from: Math.min(from, ...joined.map((each) => each.from)),
      to: Math.max(to, ...joined.map((each) => each.to)),
    }
    const next = [...all.filter((each) => !touches(each)), whole]
    known.set(
      key,
      next.length <= eachMax ? next : next.sort((one, other) => lengthOf(other) - lengthOf(one)).slice(0, eachMax),
    )
  }

  /** Returns the range this cell is in. */
  const at = (key: string, seq: Seq): SeqRange | undefined =>
    known.get(key)?.find(({ from, to }) => from <= seq && seq <= to)

  /** Returns where the next range begins. */
  const nextAbove = (key: string, seq: Seq): Seq | undefined =>
    known
      .get(key)
      ?.reduce<Seq | undefined>(
        (next, { from }) => (from > seq && from < (next ?? Number.POSITIVE_INFINITY) ? from : next),
        undefined,
      )

  return { note, at, nextAbove }
}

const lengthOf = ({ from, to }: SeqRange): number => to - from
