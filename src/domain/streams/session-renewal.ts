import type { Ports } from '../../ports/ports.ts'
import type { Session, SessionRenewal, SessionState } from '../../ports/soft-state.ts'
import type { UserId } from '../../protocol/ids.ts'
import { spread } from './spread.ts'

// Keeps the sessions of a node alive. They refer to one lease, which the node holds every few seconds: that alone says that the node lives. Each
// session is renewed after its attach, and then seldom, so that its keys do not expire, and with few others at a time. A renewal lasts because
// it comes just after the lease was held; see store/redis/session-leases.ts.
//
// Redis may forget the lease or a session, or may have been replaced by a replica that lacks some. Then a session is registered again:
// - all of them, when the lease turns out to be lost, or has ended because this node was stopped or Redis was away for long;
// - those of a user whose index stamp has changed, at the periodic resync of that user: in a cluster, the master that keeps this user's keys may
//   have forgotten them while another keeps the lease;
// - each by itself when it is renewed.

const renewEverySeconds = 600
const renewedAtATime = 500

type Kept = { state: SessionState; slot: number }
type Needs = Pick<Ports, 'sessions' | 'sessionLeases'> & {
  randomId: () => string
  /** Called when it is known that another node has died. */
  onNodeDied?: () => void
}

export function createSessionRenewal({ sessions, sessionLeases, randomId, onNodeDied }: Needs) {
  const kept = new Map<Session, Kept>()
  /** They are renewed when the lease is held next. */
  const due = new Set<Session>()
  let leaseId: string | undefined
  let lostId: string | undefined
  let beginning: Promise<string> | undefined
  let diedBefore: ReadonlySet<string> = new Set()

  /** Returns the lease that this node holds. A session must not refer to a lease before Redis knows it. */
  async function lease(): Promise<string> {
    if (leaseId !== undefined) return leaseId
    beginning ??= begin().finally(() => {
      beginning = undefined
    })
    return beginning
  }

  async function begin(): Promise<string> {
    const next = randomId()
    await sessionLeases.begin(next, lostId)
    leaseId = next
    for (const session of kept.keys()) due.add(session)
    return next
  }

  function keepAlive(session: Session, state: SessionState): void {
    kept.set(session, { state, slot: spread(session.userId) % renewEverySeconds })
    due.add(session)
  }

  function stopKeepingAlive(session: Session): void {
    kept.delete(session)
    due.delete(session)
  }

  /** Must be called more often than a lease ends. */
  async function holdLease(): Promise<void> {
    const held = leaseId
    const hold = held !== undefined ? await sessionLeases.hold(held) : undefined
    if (hold && !hold.isHeld && held === leaseId) {
      lostId = held
      leaseId = undefined
    }
    // This comes before what may fail.
    if (hold?.died.some((each) => !diedBefore.has(each))) onNodeDied?.()
    if (hold) diedBefore = new Set(hold.died)
    await renew(await lease())
  }

  /** Called when all work is done: others then know that this node leaves nothing half done. */
  async function giveUpLease(): Promise<void> {
    if (leaseId !== undefined) await sessionLeases.giveUp(leaseId)
    leaseId = undefined
  }

  /** Has the sessions renewed that are due in this second. `doubted` are users whose sessions Redis may have forgotten. */
  function noteDue(second: number, doubted: readonly UserId[]): void {
    const users = new Set(doubted)
    for (const [session, { slot }] of kept) {
      if (second % renewEverySeconds === slot || users.has(session.userId)) due.add(session)
    }
  }

  async function renew(current: string): Promise<void> {
    for (const some of chunksOf([...due], renewedAtATime)) {
      const renewals = some.flatMap((session): SessionRenewal[] => {
        const { state } = kept.get(session) ?? {}
        session.leaseId = current
        return state ? [{ session, state, lasting: true }] : []
      })
      // What becomes due while these are renewed is renewed the next time.
      for (const session of some) due.delete(session)
      try {
        if (renewals.length > 0) await sessions.renew(renewals)
      } catch (error) {
        for (const session of some) if (kept.has(session)) due.add(session)
        throw error
      }
    }
  }

  return { lease, keepAlive, stopKeepingAlive, holdLease, giveUpLease, noteDue }
}

function chunksOf<T>(all: readonly T[], size: number): T[][] {
  const chunks: T[][] = []
  for (let i = 0; i < all.length; i += size) chunks.push(all.slice(i, i + size))
  return chunks
}
