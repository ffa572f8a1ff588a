import { ChatError } from '../protocol/errors.ts'
import { HttpRefusal } from './errors.ts'
import type { PersistedOperations } from './persisted-operations.ts'

/** What a client sends to have something executed, as it came over the wire. */
export type RequestParams = {
  query?: unknown
  documentId?: unknown
  operationName?: unknown
  variables?: unknown
  extensions?: unknown
}

/** As deep as JSON may be nested: what comes after it may recurse, and answers may echo. */
export const jsonNestingMax = 64

/** Refuses what no operation can be made of, and finds the document. What is left to judge is the document itself. */
export function readParams(params: RequestParams, persisted: PersistedOperations): { query: unknown } {
  const { operationName, variables, extensions } = params
  if (operationName !== undefined && operationName !== null && typeof operationName !== 'string') {
    throw new HttpRefusal(400, 'Expected operationName to be a string.')
  }
  for (const [field, value] of Object.entries({ variables, extensions })) {
    if (isNestedDeeper(value, jsonNestingMax)) {
      throw new ChatError('BAD_USER_INPUT', `JSON is nested at most ${jsonNestingMax} levels deep.`, { field })
    }
  }
  return { query: persisted.documentOf(params) }
}

/** Stops at that depth, so it cannot exhaust the stack itself. */
export function isNestedDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  return Object.values(value).some((each) => isNestedDeeper(each, levels - 1))
}
