/** What the variables of one request are worth to a cost; `memo` holds what was already worked out for it. */
export type Scope = { variable: (name: string) => unknown; memo: (number | undefined)[] }

/** A number where it does not depend on variables, so that most documents are added up once and for all. */
export type Cost = number | ((scope: Scope) => number)

/** Beyond any budget, and still far from infinity: a document can ask for more than a number can hold. */
const mostCost = 1e12

export const plus = (a: Cost, b: Cost): Cost => {
  if (typeof a === 'number' && typeof b === 'number') return Math.min(a + b, mostCost)
  if (a === 0) return b
  if (b === 0) return a
  return (scope) => Math.min(worth(a, scope) + worth(b, scope), mostCost)
}

export const times = (a: Cost, b: Cost): Cost => {
  if (typeof a === 'number' && typeof b === 'number') return Math.min(a * b, mostCost)
  if (a === 0 || b === 0) return 0
  return (scope) => Math.min(worth(a, scope) * worth(b, scope), mostCost)
}

export const worth = (cost: Cost, scope: Scope): number => (typeof cost === 'number' ? cost : cost(scope))

/** Worked out once per request, however many places share it. `slot` is its own. */
export const memoised = (cost: Cost, slot: number): Cost => {
  if (typeof cost === 'number') return cost
  return (scope) => {
    const known = scope.memo[slot]
    if (known !== undefined) return known
    const fresh = cost(scope)
    scope.memo[slot] = fresh
    return fresh
  }
}
