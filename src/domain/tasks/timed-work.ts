import type { Lease } from '../../ports/leases.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Timer, TimerKind } from '../../ports/tasks.ts'
import { unavailable } from '../../protocol/errors.ts'

// Does what is due: finds timers whose time has come, takes the lease of each, and works on it until it is done or the lease is lost. A node that is
// killed stops holding its leases, and the next node that looks takes them over.
//
// A timer is removed when its work is done. A crash before that leaves it, and the work is done once more; so all of it is idempotent. Two nodes may
// both believe that they hold a lease, for as long as one of them was stopped. What they write is written under the version of the lease.

/** Says that this node may still work. Its holder asks before each step. */
export type Held = { version: number; signal: AbortSignal; assert(): void }
/** Returns when to look again, or undefined where nothing is left to do. */
export type TimedWork = (timer: Timer, held: Held) => Promise<number | undefined>

export type WorkTimes = { leaseMs: number }
export const workTimesDefault: WorkTimes = { leaseMs: 30_000 }

const atATime = 2
/** These are more than are worked on anywhere at once, so that those under way do not hide the others. */
const lookedAt = 100
const troubleMs = 30_000

type Needs = Pick<Ports, 'timers' | 'leases' | 'clock'> & {
  randomId: () => string
  onError: (error: unknown) => void
  workTimes?: WorkTimes
}

export function createTimedWork(needs: Needs, works: Record<TimerKind, TimedWork>) {
  const { timers, leases, clock, randomId, onError, workTimes: { leaseMs } = workTimesDefault } = needs
  const holder = randomId()
  const running = new Map<string, Promise<void>>()
  const stopping = new AbortController()

  /** Looks for what is due, and begins as much as there is room for. */
  async function tick(): Promise<void> {
    if (stopping.signal.aborted || running.size >= atATime) return
    for (const timer of await timers.due(clock.now(), lookedAt)) {
      const name = `timer#${timer.kind}#${timer.subject}`
      if (running.has(name)) continue
      if (running.size >= atATime || stopping.signal.aborted) return
      const work = take(timer, name)
        .catch(onError)
        .finally(() => running.delete(name))
      running.set(name, work)
    }
  }

  async function take(timer: Timer, name: string): Promise<void> {
    const nowMs = clock.now()
    const lease = await leases.take(name, holder, { nowMs, untilMs: nowMs + leaseMs })
    if (!lease) return
    const { held, letGo } = hold(lease)
    try {
      const again = await works[timer.kind](timer, held).catch((error) => {
        // This node has lost the lease or stops, so another one may go on at once.
        if (held.signal.aborted) return timer.dueMs
        onError(error)
        return clock.now() + troubleMs
      })
      if (again !== undefined && again !== timer.dueMs) await timers.set({ ...timer, dueMs: again })
      if (again !== timer.dueMs) await timers.remove(timer)
      await (again === undefined ? leases.remove(name) : leases.end(lease))
    } finally {
      letGo()
    }
  }

  /** Holds the lease for longer, again and again, until it is let go. */
  function hold(lease: Lease): { held: Held; letGo: () => void } {
    const lost = new AbortController()
    const done = new AbortController()
    let { untilMs } = lease
    const signal = AbortSignal.any([lost.signal, stopping.signal])
    const keep = async () => {
      while (!done.signal.aborted && !signal.aborted) {
        await clock.sleep(leaseMs / 3, AbortSignal.any([done.signal, signal]))
        if (done.signal.aborted || signal.aborted) return
        const next = clock.now() + leaseMs
        const answer = await leases.hold(lease, next).catch(() => 'unknown' as const)
        if (answer === undefined) lost.abort()
        else if (answer !== 'unknown') untilMs = next
      }
    }
    void keep()
    const assert = () => {
      if (clock.now() >= untilMs) lost.abort()
      if (signal.aborted) throw unavailable(new Error('Another node goes on with this.'))
    }
    return { held: { version: lease.version, signal, assert }, letGo: () => done.abort() }
  }

  /** Ends what is under way at its next step. */
  async function stop(): Promise<void> {
    stopping.abort()
    await Promise.all(running.values())
  }

  return { tick, stop }
}
