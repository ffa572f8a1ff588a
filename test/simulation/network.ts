import type { EventListener, EventSubscription } from '../../src/ports/events.ts'
import type { Ports } from '../../src/ports/ports.ts'
import { unavailable } from '../../src/protocol/errors.ts'
import type { Random } from './random.ts'
import type { Owner, Scheduler } from './scheduler.ts'

/** How likely each fault is, per call or event. */
type FaultRates = {
  /** The call fails and does nothing. */
  refused: number
  /** It is carried out, and the answer is lost. */
  answerLost: number
  /** The caller gives up, and it is carried out later all the same. */
  late: number
  /** An event is lost without a trace. */
  eventLost: number
  /** It takes its time. */
  slow: number
}

/** How slow what is slow may be, and how often that is when all is well. */
type Pace = { slow: number; slowestMs: number }

/** Longer than any patience of the domain. */
export const unsteady: Pace = { slow: 0.03, slowestMs: 1500 }
/** So that a healthy write, which is five times on its way from its number to its cell, takes no longer than a reader waits for it. */
export const brisk: Pace = { slow: 0.3, slowestMs: 55 }

/** How long a call may be on its way that its caller has given up. */
const latestMs = 5000

export type Network = ReturnType<typeof createNetwork>

/** Between the nodes and what they share: every call and every event takes its turn, and may come to grief. */
export function createNetwork(scheduler: Scheduler, random: Random, { slow, slowestMs }: Pace) {
  const wire: Owner = { name: 'wire', alive: true }
  const healthy: FaultRates = { refused: 0, answerLost: 0, late: 0, eventLost: 0, slow }
  let rates = healthy
  let deaf = false

  /** When its turn has come, or after a while. */
  function eventually(owner: Owner, go: () => void): void {
    if (random.chance(rates.slow)) scheduler.after(owner, random.below(slowestMs), go)
    else scheduler.whenTurn(owner, go)
  }

  function call<T>(owner: Owner, carryOut: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) =>
      eventually(owner, () => {
        const draw = random.next()
        if (draw < rates.refused) return reject(unavailable())
        if (draw < rates.refused + rates.late) {
          // Nobody waits for the outcome any more.
          const carryOutLate = () => void carryOut().catch(() => undefined)
          if (random.chance(0.5)) scheduler.whenTurn(wire, carryOutLate)
          else scheduler.after(wire, random.below(latestMs), carryOutLate)
          return reject(unavailable())
        }
        carryOut().then((result) => {
          const isLost = draw < rates.refused + rates.late + rates.answerLost
          // A node that dies here has done it and never learns.
          eventually(owner, () => (isLost ? reject(unavailable()) : resolve(result)))
        }, reject)
      }),
    )
  }

  /** In order, like a connection; but what is on its way is lost when the connection breaks. */
  function delayed(owner: Owner, listener: EventListener) {
    const queue: { arrive(): void; lose?(): void }[] = []
    let draining = false
    function drain(): void {
      draining = queue.length > 0
      if (!draining) return
      eventually(owner, () => {
        queue.shift()?.arrive()
        drain()
      })
    }
    function enqueue(entry: (typeof queue)[number]): void {
      queue.push(entry)
      if (!draining) drain()
    }
    const heard: EventListener = {
      event(event) {
        if (!deaf && !random.chance(rates.eventLost)) enqueue({ arrive: () => listener.event(event) })
      },
      gap() {
        for (const { lose } of queue.splice(0)) lose?.()
        enqueue({ arrive: () => listener.gap() })
      },
    }
    const flushed = () =>
      new Promise<void>((resolve, reject) => {
        if (deaf) return reject(unavailable())
        enqueue({ arrive: resolve, lose: () => reject(unavailable()) })
      })
    return { heard, flushed }
  }

  /** The same ports, as a node sees them that is not alone in the world. `onListen`: what to close when it dies. */
  function reach(owner: Owner, ports: Ports, onListen: (subscription: EventSubscription) => void): Ports {
    const over = <Port extends object>(port: Port): Port =>
      Object.fromEntries(
        Object.entries(port).map(([name, method]) => [
          name,
          (...args: unknown[]) => call(owner, () => method(...args)),
        ]),
      ) as Port

    const listen = (listener: EventListener, subscribe: (heard: EventListener) => Promise<EventSubscription>) =>
      call(owner, async () => {
        const { heard, flushed } = delayed(owner, listener)
        const subscription = await subscribe(heard)
        onListen(subscription)
        return {
          flush: () =>
            call(owner, async () => {
              await subscription.flush()
              await flushed()
            }),
          close: () => subscription.close(),
        }
      })

    return {
      messages: over(ports.messages),
      claims: over(ports.claims),
      pending: over(ports.pending),
      boundaries: over(ports.boundaries),
      conversations: over(ports.conversations),
      memberships: over(ports.memberships),
      profiles: over(ports.profiles),
      blocks: over(ports.blocks),
      departures: over(ports.departures),
      uploads: over(ports.uploads),
      devices: over(ports.devices),
      sequencer: over(ports.sequencer),
      sessions: over(ports.sessions),
      boundaryCache: over(ports.boundaryCache),
      versions: over(ports.versions),
      activity: over(ports.activity),
      blockCache: over(ports.blockCache),
      events: {
        ...over(ports.events),
        subscribe: (userId, listener) => listen(listener, (heard) => ports.events.subscribe(userId, heard)),
        subscribeGroup: (id, listener) => listen(listener, (heard) => ports.events.subscribeGroup(id, heard)),
      },
      clock: scheduler.clockOf(owner),
    }
  }

  return {
    reach,
    /** All else is as when all is well. */
    setRates(next: Partial<FaultRates>): void {
      rates = { ...healthy, ...next }
    },
    losesEvents: (): boolean => rates.eventLost > 0,
    /** Nothing published arrives. To be ended by telling every listener of the gap. */
    setDeaf(isDeaf: boolean): void {
      deaf = isDeaf
    },
  }
}
