/** A value that changes, in the shape React's useSyncExternalStore takes. */
export type Observable<T> = {
  get(): T
  /** Calls the listener after each change. Returns a function that stops it. */
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
      listeners.emit()
    },
    subscribe: listeners.add,
  }
}

/** A set of listeners. If one throws, the others are still called. */
export function createListeners<A extends unknown[]>() {
  const listeners = new Set<(...args: A) => void>()
  return {
    add(listener: (...args: A) => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    emit(...args: A): void {
      for (const listener of [...listeners]) {
        try {
          listener(...args)
        } catch (error) {
          // This is an error of the application. It is reported as uncaught, and the client goes on.
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
