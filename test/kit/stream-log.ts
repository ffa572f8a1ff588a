import type WebSocket from 'ws'

export type StreamLog<Event> = ReturnType<typeof createStreamLog<Event>>

/** Records what came over one subscription. Tests wait for a count of events and never sleep. */
export function createStreamLog<Event>() {
  const events: Event[] = []
  const waiting = new Set<() => void>()
  let socket: WebSocket | undefined
  let failure: unknown
  let ended = false
  let stopIt: () => Promise<void> = async () => undefined

  const wake = () => {
    for (const check of waiting) check()
  }

  function when<T>(ready: () => T | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const check = () => {
        const value = ready()
        if (value === undefined && failure === undefined && !ended) return
        waiting.delete(check)
        if (value !== undefined) resolve(value)
        else reject(failure ?? new Error('The stream ended first'))
      }
      waiting.add(check)
      check()
    })
  }

  return {
    events,
    /** Resolves with everything so far, once there are that many. */
    receives: (count: number): Promise<Event[]> => when(() => (events.length >= count ? [...events] : undefined)),
    /** Resolves with the first event that fits. */
    sees: (fits: (event: Event) => boolean): Promise<Event> => when(() => events.find(fits)),
    /** Resolves with the error that ended the stream. */
    fails: (): Promise<unknown> =>
      when<unknown>(() => failure).then(
        (error) => error,
        (error) => error,
      ),
    connected: (): Promise<WebSocket> => when(() => socket),
    /** Ends cleanly: the client says complete and closes. */
    stop: () => stopIt(),
    /** Drops the connection without a goodbye, as when the network goes away. */
    async drop(): Promise<void> {
      const open = await when(() => socket)
      const closed = new Promise((resolve) => open.once('close', resolve))
      open.terminate()
      await closed
    },

    add(event: Event) {
      events.push(event)
      wake()
    },
    opened(open: WebSocket) {
      socket = open
      wake()
    },
    fail(error: unknown) {
      failure = error
      wake()
    },
    end() {
      ended = true
      wake()
    },
    onStop(stop: () => Promise<void>) {
      stopIt = stop
    },
  }
}
