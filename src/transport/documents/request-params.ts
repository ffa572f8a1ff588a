import { badInput } from '../../protocol/errors.ts'
import { HttpRefusal } from '../execution/errors.ts'
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
/** An object of that many keys is no input of ours, and an error about it would show them all. */
const jsonKeysMax = 200

/** Refuses what no operation can be made of, and finds the document. What is left to judge is the document itself. */
export function readParams(params: RequestParams, persisted: PersistedOperations): { query: unknown } {
  const { operationName, variables, extensions } = params
  if (operationName !== undefined && operationName !== null && typeof operationName !== 'string') {
    throw new HttpRefusal(400, 'Expected operationName to be a string.')
  }
  if (isBeyond(variables, jsonNestingMax, jsonKeysMax)) throw tooLarge('variables')
  if (isBeyond(extensions, jsonNestingMax, jsonKeysMax)) throw tooLarge('extensions')
  return { query: persisted.documentOf(params) }
}

const tooLarge = (field: string) =>
  badInput(
    field,
    `JSON is nested at most ${jsonNestingMax} levels deep, and an object has at most ${jsonKeysMax} keys.`,
  )

/** Stops at that depth, so it cannot exhaust the stack itself. */
export const isNestedDeeper = (value: unknown, levels: number): boolean =>
  isBeyond(value, levels, Number.POSITIVE_INFINITY)

/** Loops, for a thousand positions are nothing unusual. */
function isBeyond(value: unknown, levels: number, keysMax: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  if (Array.isArray(value)) {
    for (const each of value) if (isBeyond(each, levels - 1, keysMax)) return true
    return false
  }
  let keys = 0
  for (const name in value) {
    keys += 1
    if (keys > keysMax || isBeyond((value as Record<string, unknown>)[name], levels - 1, keysMax)) return true
  }
  return false
}
