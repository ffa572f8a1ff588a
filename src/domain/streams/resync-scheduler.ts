import type { Ports } from '../../ports/ports.ts'
import type { Session, SessionState } from '../../ports/soft-state.ts'
import type { UserId } from '../../protocol/ids.ts'
import { createIdleStreams } from './idle-streams.ts'
import type { Inbox } from './inbox.ts'

// What a node does by the clock for its open streams. It renews their sessions before they expire, and sees to it that the counters of each
// stream's conversations are compared with what it has shown (the periodic resync): the last message of a conversation can be lost in pub/sub
// with no successor to reveal it. One call a second serves all streams. Each stream is resynced once in `resyncEverySeconds`, or more often where
// it asks for that. All streams of a user are resynced in the same second: they look up the same, and so can share it. Streams that would find
// nothing are not woken, see idle-streams.ts.

const renewEverySeconds = 10
const forgetEverySeconds = 60

type Schedule = { slot: number; everySeconds: number }

export type ResyncScheduler = ReturnType<typeof createResyncScheduler>

type Needs = Pick<Ports, 'sessions' | 'indexStamps' | 'sequencer'>

export function createResyncScheduler(needs: Needs, options = { resyncEverySeconds: 30 }) {
  const { sessions } = needs
  const idleStreams = createIdleStreams(needs)
  const inboxes = new Map<Inbox, Schedule>()
  const sessionStates = new Map<Session, SessionState>()
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

  function keepAlive(session: Session, state: SessionState): void {
    sessionStates.set(session, state)
  }

  function stopKeepingAlive(session: Session): void {
    sessionStates.delete(session)
  }

  /** Must be called once a second. */
  async function tick(): Promise<void> {
    second += 1
    if (second % forgetEverySeconds === 0) idleStreams.forget(second)
    const due: Inbox[] = []
    for (const [inbox, { slot, everySeconds }] of inboxes) if (second % everySeconds === slot) due.push(inbox)
    const renewed = second % renewEverySeconds === 0 ? renew() : undefined
    await Promise.all([renewed, idleStreams.resync(due, second)])
  }

  async function renew(): Promise<void> {
    if (sessionStates.size > 0) await sessions.renew([...sessionStates].map(([session, state]) => ({ session, state })))
  }

  const resyncAll = (): void => {
    for (const inbox of inboxes.keys()) inbox.periodicResync()
  }

  return { add, remove, keepAlive, stopKeepingAlive, tick, renew, resyncAll, streams: () => inboxes.size }
}

/** Returns a number that is always the same for a user and differs between users. */
function spread(userId: UserId): number {
  let number = 0
  for (let i = 0; i < userId.length; i += 1) number = (31 * number + userId.charCodeAt(i)) >>> 0
  return number
}
