import type { Observer } from './ports.ts'

const nothing = () => undefined

/** For a domain that nobody watches. */
export const nobody: Observer = {
  sent: nothing,
  duplicate: nothing,
  voided: nothing,
  attached: nothing,
  detached: nothing,
  caughtUp: nothing,
  resynced: nothing,
  overflowed: nothing,
}
