/**
 * Banners are shown and looked for one at a time, by the worker and all windows together: each push must see what the one before has
 * shown, and Chromium forgets, though it shows it on, what comes while somebody looks for others. Nobody could withdraw that one.
 */
export function inTurn<T>(work: () => Promise<T>): Promise<T> {
  // Old browsers have no locks: at least one after the other here.
  const { locks } = globalThis.navigator ?? {}
  const done = locks ? locks.request('parley-banners', work) : last.then(work)
  last = done.catch(() => undefined)
  return done
}

let last: Promise<unknown> = Promise.resolve()
