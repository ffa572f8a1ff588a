import type { Ports } from '../../src/ports/ports.ts'
import { unavailable } from '../../src/protocol/errors.ts'

// A node that dies at a call of a test's choice.

const stores = [
  'messages',
  'claims',
  'pending',
  'boundaries',
  'conversations',
  'memberships',
  'profiles',
  'blocks',
] as const
const others = [
  'departures',
  'devices',
  'devicePositions',
  'tasks',
  'timers',
  'restrictions',
  'sequencer',
  'events',
] as const

/** The call with this number is the last that is carried out, and its answer is lost. */
export function mortal(ports: Ports, lastCall: number): { ports: Ports; calls: () => number } {
  let calls = 0
  const dying = <T extends object>(port: T): T =>
    new Proxy(port, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name)
        if (typeof method !== 'function') return method
        return async (...args: unknown[]) => {
          calls += 1
          if (calls > lastCall) throw unavailable()
          const answer: unknown = await (method as (...given: unknown[]) => unknown).apply(target, args)
          if (calls >= lastCall) throw unavailable()
          return answer
        }
      },
    })
  const dead = Object.fromEntries([...stores, ...others].map((name) => [name, dying(ports[name])]))
  return { ports: { ...ports, ...dead }, calls: () => calls }
}
