import { badInput } from '../protocol/errors.ts'
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
  if (isNestedDeeper(variables, jsonNestingMax)) throw tooDeep('variables')
  if (isNestedDeeper(extensions, jsonNestingMax)) throw tooDeep('extensions')
  return { query: persisted.documentOf(params) }
}

const tooDeep = (field: string) => badInput(field, `JSON is nested at most ${jsonNestingMax} levels deep.`)

/** Stops at that depth, so it cannot exhaust the stack itself. Loops, for a thousand positions are nothing unusual. */
export function isNestedDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  if (Array.isArray(value)) {
    for (const each of value) if (isNestedDeeper(each, levels - 1)) return true
    return false
  }
  for (const name in value) if (isNestedDeeper((value as Record<string, unknown>)[name], levels - 1)) return true
  return false
}
