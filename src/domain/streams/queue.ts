import type { ChatEvent } from '../../ports/events.ts'

/** Of two that wait with the same key one is made, at the place of the first. */
export type Coalesce = { keyOf(event: ChatEvent): string; merge(waiting: ChatEvent, newer: ChatEvent): ChatEvent }

export type Queue = {
  /** Returns false where that would be more than the limit. */
  put(event: ChatEvent, limit: number): boolean
  shift(): ChatEvent | undefined
  all(): ChatEvent[]
}

/** In the order they came. */
export function createQueue(): Queue {
  const events: ChatEvent[] = []
  return {
    put: (event, limit) => events.length < limit && events.push(event) > 0,
    shift: () => events.shift(),
    all: () => [...events],
  }
}

/** The same, each key once. */
export function createCoalescingQueue({ keyOf, merge }: Coalesce): Queue {
  const events = new Map<string, ChatEvent>()
  return {
    put(event, limit) {
      const key = keyOf(event)
      const waiting = events.get(key)
      if (!waiting && events.size >= limit) return false
      events.set(key, waiting ? merge(waiting, event) : event)
      return true
    },
    shift() {
      for (const [key, event] of events) {
        events.delete(key)
        return event
      }
      return undefined
    },
    all: () => [...events.values()],
  }
}
