/** A value that changes, in the shape React's useSyncExternalStore takes. */
export type Observable<T> = {
  get(): T
  /** Calls the listener after each change. Returns how to stop. */
  subscribe(listener: () => void): () => void
}

type Value<T> = Observable<T> & { set(value: T): void }

export function createValue<T>(initial: T): Value<T> {
  let value = initial
  const listeners = createListeners<[]>()
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return
      value = next
      listeners.tell()
    },
    subscribe: listeners.add,
  }
}

/** Whoever wants to be told. One that throws does not keep the others from being told. */
export function createListeners<A extends unknown[]>() {
  const listeners = new Set<(...args: A) => void>()
  return {
    add(listener: (...args: A) => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    tell(...args: A): void {
      for (const listener of [...listeners]) {
        try {
          listener(...args)
        } catch (error) {
          // The application's mistake: shown where uncaught errors are, and nothing of ours stops for it.
          queueMicrotask(() => {
            throw error
          })
        }
      }
    },
    get size(): number {
      return listeners.size
    },
  }
}
