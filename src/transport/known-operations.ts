import { type ExecutionArgs, type GraphQLSchema, getOperationAST, OperationTypeNode } from 'graphql'
import type { DocumentCache } from './document-cache.ts'
import type { CheckCost } from './document-cost.ts'
import type { OperationContext } from './executor.ts'
import type { PersistedOperations } from './persisted-operations.ts'
import { type RequestParams, readParams } from './request-params.ts'

/**
 * A query or mutation that may be executed as it came: its document is known and valid, and nothing about the request is odd.
 * Undefined for all else: Yoga does what is left to do, or says what is wrong.
 */
export type KnownOperations = (params: object, contextValue: OperationContext) => ExecutionArgs | undefined

export type KnownOperationsOptions = {
  schema: GraphQLSchema
  cache: DocumentCache
  persisted: PersistedOperations
  checkCost: CheckCost
}

export function createKnownOperations(options: KnownOperationsOptions): KnownOperations {
  const { schema, cache, persisted, checkCost } = options

  function find(params: RequestParams, contextValue: OperationContext): ExecutionArgs | undefined {
    const { query } = readParams(params, persisted)
    const document = typeof query === 'string' ? cache.validOf(query) : undefined
    if (!document) return undefined
    const args = {
      schema,
      document,
      contextValue,
      operationName: params.operationName as string | null | undefined,
      variableValues: params.variables as Record<string, unknown> | null | undefined,
    }
    const operation = getOperationAST(document, args.operationName)?.operation
    if (operation === undefined || operation === OperationTypeNode.SUBSCRIPTION) return undefined
    checkCost(args)
    return args
  }

  return (params, contextValue) => {
    if (!isWellFormed(params)) return undefined
    try {
      return find(params, contextValue)
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
