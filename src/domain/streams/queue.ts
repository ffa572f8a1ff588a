import type { ChatEvent } from '../../ports/events.ts'

/** Merges two waiting events that have the same key. The result keeps the position of the first. */
export type Coalesce = { keyOf(event: ChatEvent): unknown; merge(waiting: ChatEvent, newer: ChatEvent): ChatEvent }

export type Queue = {
  /** Adds the event. Returns false if the queue would then hold more than `limit`. */
  put(event: ChatEvent, limit: number): boolean
  shift(): ChatEvent | undefined
  all(): ChatEvent[]
}

/** A queue in the order of arrival. */
export function createQueue(): Queue {
  const events: ChatEvent[] = []
  return {
    put: (event, limit) => events.length < limit && events.push(event) > 0,
    shift: () => events.shift(),
    all: () => [...events],
  }
}

/** A queue in the order of arrival that holds each key once. */
export function createCoalescingQueue({ keyOf, merge }: Coalesce): Queue {
  const events = new Map<unknown, ChatEvent>()
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
