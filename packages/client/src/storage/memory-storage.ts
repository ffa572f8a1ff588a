import type { Storage } from './storage.ts'

/** Stores the state in memory, for as long as the page or the process lives. */
export function memoryStorage(): Storage {
  const kept = new Map<string, unknown>()
  return {
    load: async () => structuredClone([...kept]),
    async write(changes) {
      for (const [key, value] of changes) {
        if (value === undefined) kept.delete(key)
        else kept.set(key, structuredClone(value))
      }
    },
  }
}
