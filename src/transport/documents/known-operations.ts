import type { Variables } from '../../engine/graphql/compiled-variables.ts'
import type { OperationContext, Prepared } from '../execution/executor.ts'
import type { PlanOf } from '../execution/plans.ts'
import type { DocumentCache } from './document-cache.ts'
import type { CheckCost } from './document-cost.ts'
import type { PersistedOperations } from './persisted-operations.ts'
import { type RequestParams, readParams } from './request-params.ts'

/**
 * A query or mutation that may be executed as it came: its document is known and valid, and nothing about the request is odd.
 * Undefined for all else: Yoga does what is left to do, or says what is wrong.
 */
type KnownOperations = (params: object, context: OperationContext) => Prepared | undefined

type KnownOperationsOptions = {
  planOf: PlanOf
  cache: DocumentCache
  persisted: PersistedOperations
  checkCost: CheckCost
}

export function createKnownOperations(options: KnownOperationsOptions): KnownOperations {
  const { planOf, cache, persisted, checkCost } = options

  function find(params: RequestParams, context: OperationContext): Prepared | undefined {
    const { query } = readParams(params, persisted)
    const document = typeof query === 'string' ? cache.validOf(query) : undefined
    if (!document) return undefined
    const operationName = params.operationName as string | null | undefined
    const variables = params.variables as Variables | null | undefined
    const plan = planOf(document, operationName)
    if (!plan || plan.type === 'subscription') return undefined
    checkCost({ document, operationName, variableValues: variables })
    return { plan, variables, context }
  }

  return (params, context) => {
    if (!isWellFormed(params)) return undefined
    try {
      return find(params, context)
    } catch {
      // Nothing was done but looking: whoever asks next comes to the same, and has the words for it.
      return undefined
    }
  }
}

const names = new Set(['query', 'documentId', 'operationName', 'variables', 'extensions'])

function isWellFormed(params: RequestParams): boolean {
  for (const name in params) if (!names.has(name)) return false
  return isObjectOrNothing(params.variables) && isObjectOrNothing(params.extensions)
}

const isObjectOrNothing = (value: unknown): boolean =>
  value === undefined || (typeof value === 'object' && !Array.isArray(value))
