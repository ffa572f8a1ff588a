import { setTimeout as sleep } from 'node:timers/promises'

/** As `vi.waitUntil`, also where there is no Vitest: the chaos run is a process of its own. */
export async function waitUntil(
  reached: () => Promise<boolean>,
  { timeout = 30_000, interval = 50 } = {},
): Promise<void> {
  const giveUpAtMs = performance.now() + timeout
  while (!(await reached())) {
    if (performance.now() > giveUpAtMs) throw new Error(`It was not reached within ${timeout} ms.`)
    await sleep(interval)
  }
}
