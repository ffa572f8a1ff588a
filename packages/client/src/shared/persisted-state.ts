import type { Storage } from '../storage/storage.ts'
import { createListeners } from './observable.ts'
import { within } from './within.ts'

// The client stores this on the device, one batch at a time: a value that changes while a batch is being written goes into the next batch.
//
//   outbox:<clientMessageId>     an Outgoing, until it is stored by the server or discarded
//   position:<conversationId>    everything up to this seq was handed to the application
//   changed:<conversationId>     every change up to this seq was, too
//   read:<conversationId>        read up to this seq, until the server has confirmed it
//   device                       true once the device has positions of its own

/** Some browsers' storage does not answer now and then. That must not stop messages from being sent. */
const patienceMs = 3000

export type PersistedState = ReturnType<typeof createPersistedState>

export function createPersistedState(storage: Storage, onError: (error: unknown) => void) {
  const errors = createListeners<[unknown]>()
  errors.add(onError)
  let changes = new Map<string, unknown>()
  let writing: Promise<void> | undefined
  let closed = false

  async function writeAll(): Promise<void> {
    while (changes.size > 0) {
      const batch = changes
      changes = new Map()
      // If the storage is full or forbidden, a message does not survive a reload, but it is sent from memory.
      try {
        await within(patienceMs, storage.write(batch))
      } catch (error) {
        errors.emit(error)
      }
    }
    writing = undefined
  }

  return {
    async load(): Promise<[string, unknown][]> {
      try {
        return await within(patienceMs, storage.load())
      } catch (error) {
        errors.emit(error)
        return []
      }
    },
    set(key: string, value: unknown): void {
      // A late answer may not overwrite what the next client on this storage has written.
      if (closed) return
      changes.set(key, value)
      writing ??= Promise.resolve().then(writeAll)
    },
    /** Resolves when everything set so far is stored, or has failed to be. */
    written: (): Promise<void> => writing ?? Promise.resolve(),
    async close(): Promise<void> {
      while (writing !== undefined) await writing
      closed = true
      await storage.close?.()
    },
  }
}
