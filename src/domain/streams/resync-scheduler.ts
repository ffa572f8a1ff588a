import type { Ports } from '../../ports/ports.ts'
import type { Session, SessionState } from '../../ports/soft-state.ts'
import type { UserId } from '../../protocol/ids.ts'
import type { Inbox } from './inbox.ts'

// What a node does by the clock for its open streams. It renews their sessions before they expire, and lets each stream compare the counters
// of its conversations with what it has shown (the periodic resync): the last message of a conversation can be lost in pub/sub with no
// successor to reveal it. One call a second serves all streams. Each stream is resynced once in `resyncEverySeconds`, or more often where it
// asks for that. All streams of a user are resynced in the same second: they look up the same, and so can share it.

const renewEverySeconds = 10

type Schedule = { slot: number; everySeconds: number }

export type ResyncScheduler = ReturnType<typeof createResyncScheduler>

export function createResyncScheduler({ sessions }: Pick<Ports, 'sessions'>, options = { resyncEverySeconds: 30 }) {
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
    for (const [inbox, { slot, everySeconds }] of inboxes) if (second % everySeconds === slot) inbox.periodicResync()
    if (second % renewEverySeconds === 0) await renew()
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
