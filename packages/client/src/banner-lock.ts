/**
 * Holds a lock while banners are shown or listed, across the worker and all windows. Each push must see what the one before has shown.
 * Chromium also forgets a banner that is shown while banners are being listed: it stays on screen and can never be withdrawn.
 */
export function withBannerLock<T>(work: () => Promise<T>): Promise<T> {
  // Old browsers have no locks. There, work is only serialised within this window.
  const { locks } = globalThis.navigator ?? {}
  const done = locks ? locks.request('parley-banners', work) : last.then(work)
  last = done.catch(() => undefined)
  return done
}

let last: Promise<unknown> = Promise.resolve()
