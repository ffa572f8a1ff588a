import { LRUCache } from 'lru-cache'
import type { Seq } from '../../protocol/ids.ts'

// Stretches of logs in which a reader finds nothing, such as a thousand reactions in a row. Cells are written once and nobody goes past an
// empty one, so what was seen of a stretch is true for ever: whoever comes by again jumps over it. A node that knows of none reads, in
// large steps, and remembers how far it came.

export type Stretch = { from: Seq; to: Seq }
/** Of one log, for one kind of reader. More than the messages that `unreadCount` counts, as each of them ends a stretch. */
const eachMax = 256
/** Of all logs together, for each of them: few logs have more than one or two. */
const meanMax = 32
/** What a log takes in memory beside its stretches, in stretches. */
const logSize = 4

export function createStretches(logsMax: number) {
  // By size alone: a cache that is given a count takes the memory for so many when it is made.
  const known = new LRUCache<string, readonly Stretch[]>({
    maxSize: (logSize + meanMax) * logsMax,
    sizeCalculation: (stretches) => logSize + stretches.length,
  })

  /** Joined with those it touches. Of too many, the longest are kept. */
  function note(key: string, from: Seq, to: Seq): void {
    if (to < from) return
    const all = known.get(key) ?? []
    const touches = (each: Stretch) => each.from <= to + 1 && each.to >= from - 1
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

  /** The one this cell is in. */
  const at = (key: string, seq: Seq): Stretch | undefined =>
    known.get(key)?.find(({ from, to }) => from <= seq && seq <= to)

  /** Where the next one begins. */
  const nextAbove = (key: string, seq: Seq): Seq | undefined =>
    known
      .get(key)
      ?.reduce<Seq | undefined>(
        (next, { from }) => (from > seq && from < (next ?? Number.POSITIVE_INFINITY) ? from : next),
        undefined,
      )

  return { note, at, nextAbove }
}

const lengthOf = ({ from, to }: Stretch): number => to - from
