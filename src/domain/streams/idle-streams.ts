import type { Ports } from '../../ports/ports.ts'
import type { UserId } from '../../protocol/ids.ts'
import type { Inbox } from './inbox.ts'

// Compares the positions of many streams with the counters in Redis, so that a stream is woken for its periodic resync only if that might find
// something. An idle stream then costs no read of DynamoDB and a place in two batches.
//
// A stream is left alone if all of this is so:
// - It has looked up what its user is in while the index had the stamp that it has now, and that stamp had stood for `writeSecondsMax` then. A
//   writer replaces the stamp before it writes, so every row whose writer died before publishing was there when the stream looked.
// - Each of these conversations has a counter, and the stream is there. The counter is raised before an entry is written, so an entry that was
//   stored and never published is above it.
// In all other cases, and whenever Redis does not answer, the stream looks by itself. What Redis has forgotten, or another Redis process has kept,
// counts as absent (store/redis/index-stamps.ts, sequencer.ts), so a flush and a failover wake every stream.

/** This is longer than a row is under way between the stamp that is replaced before it and the table. Periodic resyncs are further apart. */
const writeSecondsMax = 20
/** Stamps of users who were not looked for in this time are forgotten. */
const forgetAfterSeconds = 120

type Seen = { stamp: string; sinceSecond: number; lastSecond: number }

export function createIdleStreams({ indexStamps, sequencer }: Pick<Ports, 'indexStamps' | 'sequencer'>) {
  const seen = new Map<UserId, Seen>()

  /** Wakes those of these streams that have to look by themselves. Returns the users whose stamp is another than at the last look. */
  async function resync(inboxes: readonly Inbox[], second: number): Promise<UserId[]> {
    const streams = inboxes.flatMap((inbox) => (inbox.comparedStream ? [{ inbox, stream: inbox.comparedStream }] : []))
    for (const inbox of inboxes) if (!inbox.comparedStream) inbox.periodicResync()
    if (streams.length === 0) return []
    try {
      const { stamps, changed } = await look([...new Set(streams.map(({ stream }) => stream.userId))], second)
      const idle = streams.flatMap(({ inbox, stream }) => {
        const { stamp, sinceSecond = second } = stamps.get(stream.userId) ?? {}
        const ids = stamp && stream.compared(stamp)
        if (!ids) inbox.periodicResync(second - sinceSecond >= writeSecondsMax ? stamp : undefined)
        return ids ? [{ inbox, stream, ids, stamp }] : []
      })
      const all = [...new Set(idle.flatMap(({ ids }) => ids))]
      const counters = all.length > 0 ? await sequencer.counters(all) : []
      const counterOf = new Map(all.map((id, i) => [id, counters[i]]))
      for (const { inbox, stream, ids, stamp } of idle) {
        if (!ids.every((id) => stream.hasReached(id, counterOf.get(id)))) inbox.periodicResync(stamp)
      }
      return changed
    } catch (error) {
      for (const { inbox } of streams) inbox.periodicResync()
      throw error
    }
  }

  /** Returns the stamps as they are now, and since when this node has seen each. */
  async function look(userIds: readonly UserId[], second: number) {
    const found = await indexStamps.look(userIds)
    const stamps = new Map<UserId, Seen>()
    const changed: UserId[] = []
    for (const [i, userId] of userIds.entries()) {
      const [stamp = '', before] = [found[i], seen.get(userId)]
      const now = before?.stamp === stamp ? before : { stamp, sinceSecond: second, lastSecond: second }
      if (now !== before) changed.push(userId)
      now.lastSecond = second
      seen.set(userId, now)
      stamps.set(userId, now)
    }
    return { stamps, changed }
  }

  function forget(second: number): void {
    for (const [userId, { lastSecond }] of seen) if (second - lastSecond > forgetAfterSeconds) seen.delete(userId)
  }

  return { resync, forget }
}
