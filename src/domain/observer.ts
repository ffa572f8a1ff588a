import type { Observer } from '../ports/observer.ts'

const nothing = () => undefined

/** The observer of a domain without metrics. */
export const nullObserver: Observer = {
  sent: nothing,
  duplicate: nothing,
  voided: nothing,
  attached: nothing,
  detached: nothing,
  caughtUp: nothing,
  resynced: nothing,
  overflowed: nothing,
  emptied: nothing,
  taskEnded: nothing,
}
