// Waiting before another attempt: longer each time, and never two clients at the same moment.

const firstMs = 500
const mostMs = 30_000

/** Between half of the step and the whole of it, so that a crowd that lost its server does not come back as one. */
export function backoffMs(failures: number, random: () => number): number {
  const stepMs = Math.min(firstMs * 2 ** Math.max(failures - 1, 0), mostMs)
  return Math.round(stepMs * (0.5 + random() / 2))
}

/** A pause that can be cut short: by something that makes another attempt worth while, or by the end. */
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
