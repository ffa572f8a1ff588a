import type { Ports } from '../../ports/ports.ts'
import type { UserId } from '../../protocol/ids.ts'
import { createIdleStreams } from './idle-streams.ts'
import type { Inbox } from './inbox.ts'
import { createSessionRenewal } from './session-renewal.ts'
import { spread } from './spread.ts'

// What a node does by the clock for its open streams. It keeps their sessions alive (session-renewal.ts), and sees to it that the counters of each
// stream's conversations are compared with what it has shown (the periodic resync): the last message of a conversation can be lost in pub/sub
// with no successor to reveal it. One call a second serves all streams. Each stream is resynced once in `resyncEverySeconds`, or more often where
// it asks for that. All streams of a user are resynced in the same second: they look up the same, and so can share it. Streams that would find
// nothing are not woken, see idle-streams.ts.

/** Four in a row may fail before a lease ends. */
const holdEverySeconds = 5
const forgetEverySeconds = 60

type Schedule = { slot: number; everySeconds: number }

export type ResyncScheduler = ReturnType<typeof createResyncScheduler>

type Needs = Pick<Ports, 'sessions' | 'sessionLeases' | 'indexStamps' | 'tickStamps' | 'sequencer'> & {
  randomId: () => string
  /** Called before streams look for what a dead node may have left half done. */
  onNodeDied?: () => void
}

export function createResyncScheduler(needs: Needs, options = { resyncEverySeconds: 30 }) {
  const idleStreams = createIdleStreams(needs)
  const { lease, keepAlive, stopKeepingAlive, holdLease, giveUpLease, noteDue } = createSessionRenewal({
    ...needs,
    onNodeDied() {
      needs.onNodeDied?.()
      idleStreams.doubt()
    },
  })
  const inboxes = new Map<Inbox, Schedule>()
  /** There are few schedules, and streams with the same one share the object. */
  const schedules = new Map<string, Schedule>()
  let second = 0

  function add(inbox: Inbox, userId: UserId, everySeconds = options.resyncEverySeconds): void {
    inboxes.set(inbox, scheduleOf(spread(userId) % everySeconds, everySeconds))
  }

  function scheduleOf(slot: number, everySeconds: number): Schedule {
    const key = `${slot} ${everySeconds}`
    const schedule = schedules.get(key) ?? { slot, everySeconds }
    schedules.set(key, schedule)
    return schedule
  }

  function remove(inbox: Inbox): void {
    inboxes.delete(inbox)
  }

  /** Must be called once a second. */
  async function tick(): Promise<void> {
    second += 1
    if (second % forgetEverySeconds === 0) idleStreams.forget(second)
    const due: Inbox[] = []
    for (const [inbox, { slot, everySeconds }] of inboxes) if (second % everySeconds === slot) due.push(inbox)
    await Promise.all([
      second % holdEverySeconds === 0 && holdLease(),
      idleStreams.resync(due, second).then((changed) => noteDue(second, changed)),
    ])
  }

  const resyncAll = (): void => {
    for (const inbox of inboxes.keys()) inbox.periodicResync()
  }

  return {
    add,
    remove,
    lease,
    keepAlive,
    stopKeepingAlive,
    holdLease,
    giveUpLease,
    tick,
    resyncAll,
    streams: () => inboxes.size,
  }
}
