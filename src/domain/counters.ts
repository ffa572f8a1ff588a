import type { Ports } from '../ports/ports.ts'
import type { ConversationId } from '../protocol/ids.ts'
import type { Log } from './log.ts'

// The counter of a conversation that Redis has forgotten, by its age or a flush. It is seeded from the log, never from 0: by whoever
// writes there next, and by the beat of whoever reads along, who would otherwise have to read the log at every beat.
//
// While the log is read, others may write:
// - read (5), another seeds 5, is given 6 and writes it, seed 5: the counter stands at 6, which a seed never lowers.
// - the same with a flush before the last step: the counter stands at 5, below the log. The next to write is given 6, finds the cell
//   taken and goes above it (append.ts). Whoever was not told of 6 either learns of it with the next entry.

const atATime = 8

export type Recount = ReturnType<typeof createRecount>

export function createRecount({ sequencer, log }: Pick<Ports, 'sequencer'> & { log: Log }) {
  const recountOne = async (id: ConversationId): Promise<void> => sequencer.seed(id, await log.lastSeq(id))

  return async function recount(ids: readonly ConversationId[]): Promise<void> {
    for (let i = 0; i < ids.length; i += atATime) await Promise.all(ids.slice(i, i + atATime).map(recountOne))
  }
}
