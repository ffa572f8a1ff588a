/** JSON of clients may be nested this deep: code that reads it later may recurse, and answers may echo it. */
export const jsonNestingMax = 64

export const isNestedDeeper = (value: unknown, levels: number): boolean =>
  isNestedDeeperOrWider(value, levels, Number.POSITIVE_INFINITY)

/**
 * Whether the value is nested deeper than `levels`, or holds an object of more than `keysMax` keys. It stops at that depth, so it cannot
 * exhaust the stack itself. It loops over arrays, because a thousand positions in one are nothing unusual.
 */
export function isNestedDeeperOrWider(value: unknown, levels: number, keysMax: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  if (Array.isArray(value)) {
    for (const each of value) if (isNestedDeeperOrWider(each, levels - 1, keysMax)) return true
    return false
  }
  let keys = 0
  for (const name in value) {
    keys += 1
    if (keys > keysMax) return true
    if (isNestedDeeperOrWider((value as Record<string, unknown>)[name], levels - 1, keysMax)) return true
  }
  return false
}
