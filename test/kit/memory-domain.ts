import { createDomain, type Domain } from '../../src/domain/domain.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Ports } from '../../src/ports/ports.ts'
import type { MessageId } from '../../src/protocol/ids.ts'
import { createMemoryRedis } from '../../src/store/memory/memory-redis.ts'
import { createSoftStateMemory } from '../../src/store/memory/soft-state.ts'
import { createStoresMemory } from '../../src/store/memory/stores.ts'

// The domain alone, on stores in memory: for what happens between two steps of it.

/** Resolves when everything that needs no timer is done. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Whoever sleeps is woken at once, and that much time has passed. */
export function hastyClock(): Clock {
  let nowMs = 1_800_000_000_000
  return {
    now: () => nowMs,
    monotonic: () => nowMs,
    sleep: async (ms) => {
      nowMs += ms
    },
  }
}

/** `changed`: the ports with something in between. */
export function memoryDomain(changed: (ports: Ports) => Partial<Ports> = () => ({})): { domain: Domain; ports: Ports } {
  const clock = hastyClock()
  const plain: Ports = { ...createStoresMemory(), ...createSoftStateMemory(createMemoryRedis(clock)), clock }
  const ports = { ...plain, ...changed(plain) }
  let ids = 0
  const domain = createDomain(ports, {
    nextMessageId: () => String(++ids) as MessageId,
    randomId: () => String(++ids),
    onDetachError: () => undefined,
  })
  return { domain, ports }
}
