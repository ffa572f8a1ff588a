/** Gives the variables of one request. `memo` holds the costs that were already computed for the request. */
export type Scope = { variable: (name: string) => unknown; memo: (number | undefined)[] }

/** A cost is a number if it does not depend on variables, so that the cost of most documents is added up only once. */
export type Cost = number | ((scope: Scope) => number)

/** This is beyond any budget, and still far from infinity: a document can ask for more than a number can hold. */
const mostCost = 1e12

export const plus = (a: Cost, b: Cost): Cost => {
  if (typeof a === 'number' && typeof b === 'number') return Math.min(a + b, mostCost)
  if (a === 0) return b
  if (b === 0) return a
  return (scope) => Math.min(evaluate(a, scope) + evaluate(b, scope), mostCost)
}

export const times = (a: Cost, b: Cost): Cost => {
  if (typeof a === 'number' && typeof b === 'number') return Math.min(a * b, mostCost)
  if (a === 0 || b === 0) return 0
  return (scope) => Math.min(evaluate(a, scope) * evaluate(b, scope), mostCost)
}

export const evaluate = (cost: Cost, scope: Scope): number => (typeof cost === 'number' ? cost : cost(scope))

/** The cost is computed once per request, however many places share it. No other cost has the same `slot`. */
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
