// Clients wait before another attempt: longer each time, and by a random part, so that they do not come back together.

const firstMs = 500
const mostMs = 30_000

/** Returns between half of the step and all of it, so that clients that lost one server do not come back together. */
export function backoffMs(failures: number, random: () => number): number {
  const stepMs = Math.min(firstMs * 2 ** Math.max(failures - 1, 0), mostMs)
  return Math.round(stepMs * (0.5 + random() / 2))
}

/** Creates a pause that `wake` ends early, because another attempt is worth while or because the client closes. */
export function createSleeper() {
  let wakeUp: () => void = () => undefined
  return {
    sleep: (ms: number): Promise<void> =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms)
        wakeUp = () => {
          clearTimeout(timer)
          resolve()
        }
      }),
    wake: (): void => wakeUp(),
  }
}
