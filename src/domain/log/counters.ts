import type { Ports } from '../../ports/ports.ts'
import type { ConversationId } from '../../protocol/ids.ts'
import type { Log } from './log.ts'

// Seeds the counter of a conversation that Redis has forgotten, because of its age or a flush. It is seeded from the log, never from 0: by the
// next writer, and by the periodic resync of a stream, which would otherwise have to read the log each time.
//
// A counter that exists must not be below what was published, or a reader that has missed an event would never learn of it. So a token is
// left before the log is read, and the counter is made only if that token is still there. While the log is read, others may write:
// - token, read (5), another seeds 5, is given 6 and writes it, seed 5: the counter stands at 6, which a seed never lowers.
// - the same with a flush before the last step: the token is gone, nothing is seeded.
// - token, read (5), another that got its number before writes 6 and publishes it, seed 5: publishing has taken the token away.
// - the same, but 6 is published after the seed: publishing lifts the counter.
// - two at once: they share the token, and each has read the log since it was left.

const atATime = 8

export type Recount = ReturnType<typeof createRecount>

export function createRecount({ sequencer, log }: Pick<Ports, 'sequencer'> & { log: Log }) {
  async function recountOne(id: ConversationId): Promise<void> {
    const token = await sequencer.prepareSeed(id)
    await sequencer.seed(id, await log.lastSeq(id), token)
  }

  return async function recount(ids: readonly ConversationId[]): Promise<void> {
    for (let i = 0; i < ids.length; i += atATime) await Promise.all(ids.slice(i, i + atATime).map(recountOne))
  }
}
