import { badInput } from '../../protocol/errors.ts'
import { isNestedDeeperOrWider, jsonNestingMax } from '../../shared/json-nesting.ts'
import { HttpRefusal } from '../execution/errors.ts'
import type { PersistedOperations } from './persisted-operations.ts'

/** The parameters of a request as they came over the wire. */
export type RequestParams = {
  query?: unknown
  documentId?: unknown
  operationName?: unknown
  variables?: unknown
  extensions?: unknown
}

/** No input of the schema has an object with more keys, and an error about one would list them all. */
const jsonKeysMax = 200

/** Refuses parameters of the wrong shape, and finds the text of the document. The document itself is checked later. */
export function readParams(params: RequestParams, persisted: PersistedOperations): { query: unknown } {
  const { operationName, variables, extensions } = params
  if (operationName !== undefined && operationName !== null && typeof operationName !== 'string') {
    throw new HttpRefusal(400, 'Expected operationName to be a string.')
  }
  if (isNestedDeeperOrWider(variables, jsonNestingMax, jsonKeysMax)) throw tooLarge('variables')
  if (isNestedDeeperOrWider(extensions, jsonNestingMax, jsonKeysMax)) throw tooLarge('extensions')
  return { query: persisted.documentOf(params) }
}

const tooLarge = (field: string) =>
  badInput(
    field,
    `JSON is nested at most ${jsonNestingMax} levels deep, and an object has at most ${jsonKeysMax} keys.`,
  )
