import type { EventListener, EventSubscription } from '../../src/ports/events.ts'
import type { Ports } from '../../src/ports/ports.ts'
import { unavailable } from '../../src/protocol/errors.ts'
import type { Random } from './random.ts'
import type { Owner, Scheduler } from './scheduler.ts'

/** How likely each fault is, per call or event. */
export type FaultRates = {
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

export const noFaults: FaultRates = { refused: 0, answerLost: 0, late: 0, eventLost: 0, slow: 0.03 }

/** Longer than any patience of the domain. */
const slowestMs = 1500

export type Network = ReturnType<typeof createNetwork>

/** Between the nodes and what they share: every call and every event takes its turn, and may come to grief. */
export function createNetwork(scheduler: Scheduler, random: Random) {
  const wire: Owner = { name: 'wire', alive: true }
  let rates = noFaults
  let deaf = false

  async function call<T>(owner: Owner, carryOut: () => Promise<T>): Promise<T> {
    await (random.chance(rates.slow) ? scheduler.sleep(owner, random.below(slowestMs)) : scheduler.turn(owner))
    const draw = random.next()
    if (draw < rates.refused) throw unavailable()
    if (draw < rates.refused + rates.late) {
      // Nobody waits for the outcome any more.
      scheduler
        .turn(wire)
        .then(carryOut)
        .catch(() => undefined)
      throw unavailable()
    }
    const result = await carryOut()
    // A node that dies here has done it and never learns.
    await (random.chance(rates.slow) ? scheduler.sleep(owner, random.below(slowestMs)) : scheduler.turn(owner))
    if (draw < rates.refused + rates.late + rates.answerLost) throw unavailable()
    return result
  }

  /** In order, like a connection; but what is on its way is lost when the connection breaks. */
  function delayed(owner: Owner, listener: EventListener) {
    const queue: { arrive(): void; lose?(): void }[] = []
    let draining = false
    async function drain(): Promise<void> {
      if (draining) return
      draining = true
      while (queue.length > 0) {
        await (random.chance(rates.slow) ? scheduler.sleep(owner, random.below(slowestMs)) : scheduler.turn(owner))
        queue.shift()?.arrive()
      }
      draining = false
    }
    function enqueue(entry: (typeof queue)[number]): void {
      queue.push(entry)
      drain().catch(() => undefined)
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
      uploads: over(ports.uploads),
      devices: over(ports.devices),
      sequencer: over(ports.sequencer),
      sessions: over(ports.sessions),
      hints: over(ports.hints),
      versions: over(ports.versions),
      activity: over(ports.activity),
      blockHints: over(ports.blockHints),
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
    setRates(next: FaultRates): void {
      rates = next
    },
    losesEvents: (): boolean => rates.eventLost > 0,
    /** Nothing published arrives. To be ended by telling every listener of the gap. */
    setDeaf(isDeaf: boolean): void {
      deaf = isDeaf
    },
  }
}
