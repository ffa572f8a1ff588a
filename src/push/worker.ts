import type { Clock } from '../ports/clock.ts'

const idleMs = 250
const troubleMs = 1000
/** Pushes that are under way when the node stops have this long to end; another node takes the others over in a minute. */
const endWithinMs = 2000

type Work = { tick(): Promise<{ found: number }>; ended(): Promise<void> }

/** Works off the queue until it is stopped. It takes the next jobs without waiting for the services' answers. */
export function startPushWorker(work: Work, clock: Clock, onError: (error: unknown) => void): () => Promise<void> {
  const stopping = new AbortController()
  const { signal } = stopping

  async function run(): Promise<void> {
    while (!signal.aborted) {
      const found = await work.tick().then(
        (ticked) => ticked.found,
        (error) => {
          onError(error)
          return undefined
        },
      )
      if (found !== undefined && found > 0) continue
      await clock.sleep(found === undefined ? troubleMs : idleMs, signal)
    }
  }

  const stopped = run()
  return async () => {
    stopping.abort()
    await stopped
    const ended = new AbortController()
    await Promise.race([work.ended().finally(() => ended.abort()), clock.sleep(endWithinMs, ended.signal)])
  }
}
