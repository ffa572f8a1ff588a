import type { Ports } from '../../ports/ports.ts'
import type { UserId } from '../../protocol/ids.ts'
import type { ComparedStream, Inbox } from './inbox.ts'

// Compares what many streams have shown with counters and stamps in Redis, so that a stream is woken for its periodic resync only if that might find
// something. An idle stream then costs no read of DynamoDB and a place in a few batches.
//
// A stream is left alone if all of this is so:
// - It has looked up what its user is in while the index had the stamp that it has now, and that stamp had stood for `writeSecondsMax` then. A
//   writer replaces the stamp before it writes, so every row whose writer died before publishing was there when the stream looked.
// - Each of these conversations has a counter, and the stream is there. The counter is raised before an entry is written, so an entry that was
//   stored and never published is above it.
// - If it shows boundaries or settings, no boundaries were published to the user, or to a group whose ticks it shows, since it looked. These stamps
//   are replaced with each publication, after the boundaries are written.
// - No node has died since. It may have written something and have published nothing.
// In all other cases, and whenever Redis does not answer, the stream looks by itself. What Redis has forgotten, or another Redis process has kept,
// counts as absent (store/redis/index-stamps.ts, sequencer.ts), so a flush and a failover wake every stream.

/** This is longer than a row is under way between the stamp that is replaced before it and the table. Periodic resyncs are further apart. */
const writeSecondsMax = 20
/** Stamps of users who were not looked for in this time are forgotten. */
const forgetAfterSeconds = 120

type Seen = { stamp: string; sinceSecond: number; lastSecond: number }
type Needs = Pick<Ports, 'indexStamps' | 'tickStamps' | 'sequencer'>

export function createIdleStreams({ indexStamps, tickStamps, sequencer }: Needs) {
  const seen = new Map<UserId, Seen>()
  /** It is a part of what streams are compared by. */
  let doubts = 0

  /** Wakes those of these streams that have to look by themselves. Returns the users whose stamp is another than at the last look. */
  async function resync(inboxes: readonly Inbox[], second: number): Promise<UserId[]> {
    const streams = inboxes.flatMap((inbox) => (inbox.comparedStream ? [{ inbox, stream: inbox.comparedStream }] : []))
    for (const inbox of inboxes) if (!inbox.comparedStream) inbox.periodicResync()
    if (streams.length === 0) return []
    try {
      const { stamps, changed } = await look(
        streams.map(({ stream }) => stream),
        second,
      )
      const idle = streams.flatMap(({ inbox, stream }) => {
        const { stamp, hasStood } = stamps.of(stream)
        const ids = stream.compared(stamp)
        if (!ids) inbox.periodicResync(hasStood ? stamp : undefined)
        return ids ? [{ inbox, stream, ids, stamp }] : []
      })
      const groups = idle.flatMap(({ stream }) => [...(stream.groupTicks?.keys() ?? [])])
      const [counterOf, ticksOf] = await Promise.all([
        lookUp(
          idle.flatMap(({ ids }) => ids),
          (ids) => sequencer.counters(ids),
        ),
        lookUp(groups, (ids) => tickStamps.look(ids)),
      ])
      for (const { inbox, stream, ids, stamp } of idle) {
        const hasAll = ids.every((id) => stream.hasReached(id, counterOf.get(id)))
        const hasTicks = [...(stream.groupTicks ?? [])].every(([id, ticks]) => ticks === ticksOf.get(id))
        if (!hasAll || !hasTicks) inbox.periodicResync(stamp)
      }
      return changed
    } catch (error) {
      for (const { inbox } of streams) inbox.periodicResync()
      throw error
    }
  }

  /** Returns by which stamps these streams are compared now, and of what users the stamp of the index has changed. */
  async function look(streams: readonly ComparedStream[], second: number) {
    const [{ stamps, changed }, ticksOf] = await Promise.all([
      lookAtIndexes([...new Set(streams.map(({ userId }) => userId))], second),
      lookUp(
        streams.filter(({ ofTicks }) => ofTicks).map(({ userId }) => userId),
        (userIds) => tickStamps.look(userIds),
      ),
    ])
    function of({ userId, ofTicks }: ComparedStream): { stamp: string; hasStood: boolean } {
      const { stamp = '', sinceSecond = second } = stamps.get(userId) ?? {}
      const hasStood = second - sinceSecond >= writeSecondsMax
      return { stamp: `${stamp} ${ofTicks ? ticksOf.get(userId) : ''} ${doubts}`, hasStood }
    }
    return { stamps: { of }, changed }
  }

  /** Returns the stamps as they are now, and since when this node has seen each. */
  async function lookAtIndexes(userIds: readonly UserId[], second: number) {
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

  /** Called when a node has died: it may have written something and have published nothing. All streams look once by themselves. */
  function doubt(): void {
    doubts += 1
  }

  return { resync, forget, doubt }
}

/** Looks each up once. */
async function lookUp<Id, Found>(ids: readonly Id[], look: (ids: readonly Id[]) => Promise<readonly Found[]>) {
  const all = [...new Set(ids)]
  const found = all.length > 0 ? await look(all) : []
  return new Map(all.map((id, i) => [id, found[i]]))
}
