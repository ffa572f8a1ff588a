import type { DynamoError } from './error.ts'

// Decides which failures are tried again, and after how long, by the rules of the AWS SDK's standard mode. All of our requests may be tried
// again: a write is conditional, or sets a value, so that the second one finds what the first one wrote, or writes the same again.

export const throttlings: ReadonlySet<string> = new Set([
  'BandwidthLimitExceeded',
  'LimitExceededException',
  'PriorRequestNotComplete',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestThrottledException',
  'SlowDown',
  'ThrottledException',
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
  'TransactionInProgressException',
])
const transients = new Set(['ReplicatedWriteConflictException', 'RequestTimeout', 'RequestTimeoutException'])
const transientStatuses = new Set([500, 502, 503, 504])

const kinds = {
  throttled: { cost: 5, delayMaxMs: 1000 },
  transient: { cost: 14, delayMaxMs: 25 },
}
const budgetMax = 500
const hintedDelayMaxMs = 5000

export type Retry = { delayMs: number; cost: number }

/** While most attempts fail, second attempts only add to the load. So they are paid from a budget that only successes fill. */
export function createRetryBudget(random: () => number) {
  let budget = budgetMax

  return {
    /** Returns undefined if the call must not be tried again. */
    take(error: DynamoError): Retry | undefined {
      const kind = kindOf(error)
      if (!kind || budget < kinds[kind].cost) return undefined
      const { cost, delayMaxMs } = kinds[kind]
      budget -= cost
      const delayMs = Math.floor(random() * delayMaxMs)
      return { cost, delayMs: Math.max(delayMs, Math.min(error.retryAfterMs ?? 0, delayMs + hintedDelayMaxMs)) }
    },
    /** Pays back what a second attempt had cost, if it was one. */
    succeeded(cost = 1): void {
      budget = Math.min(budgetMax, budget + cost)
    },
  }
}

function kindOf({ name, status, isAnswerLost, isSkewed }: DynamoError): keyof typeof kinds | undefined {
  if (status === 429 || throttlings.has(name)) return 'throttled'
  if (isAnswerLost || isSkewed || transients.has(name) || transientStatuses.has(status ?? 0)) return 'transient'
  return undefined
}
