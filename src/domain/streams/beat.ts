import type { Ports } from '../../ports/ports.ts'
import type { Session, SessionState } from '../../ports/soft-state.ts'
import type { UserId } from '../../protocol/ids.ts'
import type { Inbox } from './inbox.ts'

// What a node does by the clock for its open streams: it renews their sessions before they expire, and lets each stream
// re-check the heads of its conversations, for the last message of a conversation can be lost in pub/sub with no
// successor to reveal it. One call a second serves all streams; each has its turn once in `recheckEverySeconds`, or more often
// where it asks for that. All streams of a user have theirs in the same second: they look up the same, and so can share it.

const renewEverySeconds = 10

type Turn = { slot: number; everySeconds: number }

export type Beat = ReturnType<typeof createBeat>

export function createBeat({ sessions }: Pick<Ports, 'sessions'>, options = { recheckEverySeconds: 30 }) {
  const inboxes = new Map<Inbox, Turn>()
  const attached = new Map<Session, SessionState>()
  /** Few, and shared by all who have the same. */
  const turns = new Map<string, Turn>()
  let second = 0

  function watch(inbox: Inbox, userId: UserId, everySeconds = options.recheckEverySeconds): void {
    inboxes.set(inbox, turnOf(spread(userId) % everySeconds, everySeconds))
  }

  function turnOf(slot: number, everySeconds: number): Turn {
    const key = `${slot} ${everySeconds}`
    const turn = turns.get(key) ?? { slot, everySeconds }
    turns.set(key, turn)
    return turn
  }

  function unwatch(inbox: Inbox): void {
    inboxes.delete(inbox)
  }

  function keep(session: Session, state: SessionState): void {
    attached.set(session, state)
  }

  function forget(session: Session): void {
    attached.delete(session)
  }

  /** To be called once a second. */
  async function tick(): Promise<void> {
    second += 1
    for (const [inbox, { slot, everySeconds }] of inboxes) if (second % everySeconds === slot) inbox.recheck()
    if (second % renewEverySeconds === 0) await renew()
  }

  async function renew(): Promise<void> {
    if (attached.size > 0) await sessions.renew([...attached].map(([session, state]) => ({ session, state })))
  }

  const recheckAll = (): void => {
    for (const inbox of inboxes.keys()) inbox.recheck()
  }

  return { watch, unwatch, keep, forget, tick, renew, recheckAll, streams: () => inboxes.size }
}

/** Some number, always the same for a user. */
function spread(userId: UserId): number {
  let number = 0
  for (let i = 0; i < userId.length; i += 1) number = (31 * number + userId.charCodeAt(i)) >>> 0
  return number
}
