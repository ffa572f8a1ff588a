import type { Clock } from '../ports/clock.ts'

const lookEveryDefaultMs = 2000

type Work = { tick(): Promise<void>; stop(): Promise<void> }

/** Works until it is stopped. Then everything that this node holds is free for the others. */
export function startWebhookWorker(
  work: Work,
  clock: Clock,
  onError: (error: unknown) => void,
  lookEveryMs = lookEveryDefaultMs,
): () => Promise<void> {
  const stopping = new AbortController()
  const { signal } = stopping

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await work.tick().catch(onError)
      await clock.sleep(lookEveryMs, signal)
    }
    await work.stop().catch(onError)
  }

  const stopped = run()
  return async () => {
    stopping.abort()
    await stopped
  }
}
