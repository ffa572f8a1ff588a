import type WebSocket from 'ws'

export type StreamLog<Event> = ReturnType<typeof createStreamLog<Event>>

/** What came over one subscription, to be waited for by count: no test sleeps. */
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
    /** A clean end: the client says complete and closes. */
    stop: () => stopIt(),
    /** The network goes away: no goodbye. */
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
