import { createDomain, type Domain } from '../../src/domain/domain.ts'
import { createKeyValueMemory } from '../../src/engine/key-value/key-value.memory.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Ports } from '../../src/ports/ports.ts'
import type { MessageId } from '../../src/protocol/ids.ts'
import { createMemoryRedis } from '../../src/store/embedded/soft-state/memory-redis.ts'
import { createSoftStateMemory } from '../../src/store/embedded/soft-state/soft-state.ts'
import { createStoresEmbedded } from '../../src/store/embedded/stores.ts'

// Runs the domain alone, on stores in memory, for tests of what happens between two of its steps.

/** Resolves when everything that needs no timer is done. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** The sleepers of this clock wake at once; the time they asked for has then passed. */
export function instantClock(): Clock {
  let nowMs = 1_800_000_000_000
  return {
    now: () => nowMs,
    monotonic: () => nowMs,
    sleep: async (ms) => {
      nowMs += ms
    },
  }
}

/** `changed` returns the ports that a test replaces. */
export function memoryDomain(
  changed: (ports: Ports) => Partial<Ports> = () => ({}),
  options: Partial<Parameters<typeof createDomain>[1]> = {},
): { domain: Domain; ports: Ports } {
  const clock = instantClock()
  const plain: Ports = {
    ...createStoresEmbedded(createKeyValueMemory()),
    ...createSoftStateMemory(createMemoryRedis(clock)),
    clock,
  }
  const ports = { ...plain, ...changed(plain) }
  let ids = 0
  const domain = createDomain(ports, {
    nextMessageId: () => String(++ids) as MessageId,
    randomId: () => String(++ids),
    onDetachError: () => undefined,
    ...options,
  })
  return { domain, ports }
}
