import type { Lease } from '../../ports/leases.ts'
import type { Item } from './tables.ts'

export const toItem = ({ name, holder, version, untilMs }: Lease): Item<'leases'> => ({
  lease_name: name,
  holder,
  version,
  held_until_ms: untilMs,
})

export const toLease = ({ lease_name, holder, version, held_until_ms }: Item<'leases'>): Lease => ({
  name: lease_name,
  holder,
  version,
  untilMs: held_until_ms,
})

/** Returns the lease as it is after `holder` has taken it; undefined where somebody else holds it. */
export function taken(
  standing: Item<'leases'> | undefined,
  name: string,
  holder: string,
  { nowMs, untilMs }: { nowMs: number; untilMs: number },
): Lease | undefined {
  if (standing && standing.holder !== holder && standing.held_until_ms > nowMs) return undefined
  return { name, holder, version: (standing?.version ?? 0) + 1, untilMs }
}
