import { readFileSync } from 'node:fs'
import { z } from 'zod'
import type { Config } from './config.ts'
import { flag } from './variable-rules.ts'

export const graphqlVariables = z.object({
  GRAPHQL_EXECUTOR: z.enum(['compiled', 'reference'], { error: 'must be compiled or reference' }).default('compiled'),
  WEBSOCKET_PROTOCOL: z.enum(['lean', 'graphql-ws'], { error: 'must be lean or graphql-ws' }).default('lean'),
  GRAPHIQL: flag.optional(),
  INTROSPECTION: flag.optional(),
  ADMIN_CONSOLE: flag.optional(),
  PERSISTED_OPERATIONS: z
    .string()
    .transform(readDocuments)
    .refine((documents) => documents !== undefined && documents.size > 0, {
      error: 'must be the path of a JSON file of documents by their ids',
    })
    .optional(),
  PERSISTED_OPERATIONS_ONLY: flag.default(false),
})

export const graphqlSettings = (
  read: z.output<typeof graphqlVariables>,
  guarded: boolean,
): Pick<
  Config,
  'graphqlExecutor' | 'websocketProtocol' | 'graphiql' | 'introspection' | 'adminConsole' | 'persistedOperations'
> => ({
  graphqlExecutor: read.GRAPHQL_EXECUTOR,
  websocketProtocol: read.WEBSOCKET_PROTOCOL,
  graphiql: read.GRAPHIQL ?? !guarded,
  // GraphiQL is of no use without introspection.
  introspection: read.INTROSPECTION ?? (!guarded || read.GRAPHIQL === true),
  adminConsole: read.ADMIN_CONSOLE ?? !guarded,
  ...(read.PERSISTED_OPERATIONS && {
    persistedOperations: { documents: read.PERSISTED_OPERATIONS, only: read.PERSISTED_OPERATIONS_ONLY },
  }),
})

/** Reads the file as graphql-codegen and Relay write it, or as Apollo does. */
function readDocuments(path: string): ReadonlyMap<string, string> | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    const apollo = apolloManifest.safeParse(value).data
    if (apollo) return new Map(apollo.operations.map(({ id, body }) => [id, body]))
    const plain = documentsById.safeParse(value).data
    return plain && new Map(Object.entries(plain))
  } catch {
    return undefined
  }
}

const documentsById = z.record(z.string(), z.string())
const apolloManifest = z.object({
  format: z.literal('apollo-persisted-query-manifest'),
  operations: z.array(z.object({ id: z.string(), body: z.string() })),
})
