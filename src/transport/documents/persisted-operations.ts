// These operations are known beforehand: clients name one by the hash of its document instead of sending it, and a node may be told to run
// no others.

import { type GraphQLSchema, validate } from 'graphql'
import { ConfigError, type PersistedSettings } from '../../config/config.ts'
import { ChatError } from '../../protocol/errors.ts'
import { parseGuarded } from './document-guard.ts'
import type { RequestParams } from './request-params.ts'

export type PersistedOperations = {
  /** Returns the document that the request names, or else what it sent, which may be of any type. Throws if the document may not run. */
  documentOf(params: RequestParams): unknown
}

/** Throws a ConfigError that names every document which cannot be used. */
export function createPersistedOperations(
  schema: GraphQLSchema,
  settings: PersistedSettings | undefined,
): PersistedOperations {
  const documents = settings?.documents ?? new Map<string, string>()
  const problems = [...documents].flatMap(([id, text]) => problemsOf(schema, id, text))
  if (problems.length > 0) throw new ConfigError(problems)
  const texts = new Set(documents.values())

  function named(id: string): string {
    const document = documents.get(id) ?? documents.get(id.replace(/^sha256:/, ''))
    if (document !== undefined) return document
    throw settings === undefined
      ? refusal('PersistedQueryNotSupported: this server keeps no documents. Send the document itself in "query".')
      : refusal(
          'PersistedQueryNotFound: no document is known under this id. ' +
            (settings.only
              ? 'This server runs only those it was given; new ones come with its next release.'
              : 'Send the document itself in "query".'),
        )
  }

  return {
    documentOf(params) {
      const { query } = params
      const id = idIn(params)
      const isSent = query !== undefined && query !== null && query !== ''
      if (!isSent) return id === undefined ? query : named(id)
      // Many clients send the document along after a first miss; what it says counts.
      if (!settings?.only || (typeof query === 'string' && texts.has(query))) return query
      throw refusal(
        'PersistedQueryOnly: this server runs only documents it was given. Name one by documentId or ' +
          'extensions.persistedQuery.sha256Hash.',
      )
    },
  }
}

const refusal = (message: string) => new ChatError('GRAPHQL_VALIDATION_FAILED', message)

/** Whether the request names a document instead of sending one. */
export const namesDocument = (params: RequestParams): boolean => idIn(params) !== undefined

/** Reads `documentId`, or Apollo's `extensions.persistedQuery`. */
function idIn({ documentId, extensions }: RequestParams): string | undefined {
  if (typeof documentId === 'string' && documentId !== '') return documentId
  const { persistedQuery } = (extensions ?? {}) as { persistedQuery?: { sha256Hash?: unknown } | null }
  const hash = persistedQuery?.sha256Hash
  return typeof hash === 'string' && hash !== '' ? hash : undefined
}

function problemsOf(schema: GraphQLSchema, id: string, text: string): string[] {
  try {
    return validate(schema, parseGuarded(text), undefined, { maxErrors: 1 }).map(describe)
  } catch (error) {
    return [describe(error as Error)]
  }
  function describe({ message }: Error): string {
    return `PERSISTED_OPERATIONS has a document that cannot be used, ${id}: ${message}`
  }
}
