import type { EventListener, EventSubscription } from '../../src/ports/events.ts'
import type { Ports } from '../../src/ports/ports.ts'
import { unavailable } from '../../src/protocol/errors.ts'
import type { Random } from './random.ts'
import type { Owner, Scheduler } from './scheduler.ts'

/** Each rate says how likely a fault is, per call or event. */
type FaultRates = {
  /** The call fails and does nothing. */
  refused: number
  /** The call is carried out, and the answer is lost. */
  answerLost: number
  /** The caller gives up, and the call is carried out later. */
  late: number
  /** An event is lost and its listener is not told. */
  eventLost: number
  /** The call takes long. */
  slow: number
}

/** These say how slow a slow call may be, and how often calls are slow when there are no faults. */
type Pace = { slow: number; slowestMs: number }

/** Slow calls take longer than any wait of the domain. */
export const unsteady: Pace = { slow: 0.03, slowestMs: 1500 }
/** Calls are so quick that a healthy write, which takes five calls from its seq to its cell, is done before a reader stops waiting for it. */
export const brisk: Pace = { slow: 0.3, slowestMs: 55 }

/** A call may still be on its way for this long after its caller has given up. */
const latestMs = 5000

export type Network = ReturnType<typeof createNetwork>

/** This is the network between the nodes and what they share. Every call and every event waits for its turn, and may fail. */
export function createNetwork(scheduler: Scheduler, random: Random, { slow, slowestMs }: Pace) {
  const wire: Owner = { name: 'wire', alive: true }
  const healthy: FaultRates = { refused: 0, answerLost: 0, late: 0, eventLost: 0, slow }
  let rates = healthy
  let deaf = false

  /** Calls `go` when its turn has come, or after a while. */
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
          // No caller waits for the outcome any more.
          const carryOutLate = () => void carryOut().catch(() => undefined)
          if (random.chance(0.5)) scheduler.whenTurn(wire, carryOutLate)
          else scheduler.after(wire, random.below(latestMs), carryOutLate)
          return reject(unavailable())
        }
        carryOut().then((result) => {
          const isLost = draw < rates.refused + rates.late + rates.answerLost
          // A node that dies here has made the call and never learns its outcome.
          eventually(owner, () => (isLost ? reject(unavailable()) : resolve(result)))
        }, reject)
      }),
    )
  }

  /** Delivers events in order, like a connection. Those on their way are lost when the connection breaks. */
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

  /** Returns the ports as a node sees them over this network. `onListen` is called with what has to be closed when the node dies. */
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
      devicePositions: over(ports.devicePositions),
      feed: over(ports.feed),
      leases: over(ports.leases),
      tasks: over(ports.tasks),
      timers: over(ports.timers),
      restrictions: over(ports.restrictions),
      reports: over(ports.reports),
      webhooks: over(ports.webhooks),
      webhookProgress: over(ports.webhookProgress),
      webhookFailures: over(ports.webhookFailures),
      sequencer: over(ports.sequencer),
      sessions: over(ports.sessions),
      sessionLeases: over(ports.sessionLeases),
      boundaryCache: over(ports.boundaryCache),
      versions: over(ports.versions),
      indexStamps: over(ports.indexStamps),
      tickStamps: over(ports.tickStamps),
      activity: over(ports.activity),
      blockCache: over(ports.blockCache),
      feedCounters: over(ports.feedCounters),
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
    /** Sets these rates. The others are as without faults. */
    setRates(next: Partial<FaultRates>): void {
      rates = { ...healthy, ...next }
    },
    losesEvents: (): boolean => rates.eventLost > 0,
    /** While it is deaf, no event arrives. The caller ends it and then tells every listener of the gap. */
    setDeaf(isDeaf: boolean): void {
      deaf = isDeaf
    },
  }
}
