import { Client, type CombinedError, cacheExchange, fetchExchange, mapExchange } from 'urql'
import type { Token } from './token.ts'

export const endpoint = '/admin/graphql'

/** Asks the admin API. A mutation makes the queries that show what it has changed ask again. */
export const createAdminClient = ({ text }: Token, onRefused: (why: string) => void): Client =>
  new Client({
    url: endpoint,
    preferGetMethod: false,
    requestPolicy: 'cache-and-network',
    fetch: fetchAsGraphQL,
    fetchOptions: { headers: { authorization: `Bearer ${text}` } },
    exchanges: [
      cacheExchange,
      mapExchange({
        onError(error) {
          if (codeOf(error) === 'UNAUTHENTICATED') onRefused(wordsOf(error))
        },
      }),
      fetchExchange,
    ],
  })

export const codeOf = (error: CombinedError): unknown => error.graphQLErrors[0]?.extensions.code

/** Returns an error in the words of the server, or in ours if it did not answer. */
export const wordsOf = ({ graphQLErrors: [first], networkError }: CombinedError): string =>
  first?.message ??
  `The server does not answer (${networkError?.message ?? 'unknown'}). Nothing is known about what was asked; ask again.`

/** What is refused before GraphQL reads it is answered as REST is. urql would only see the status. */
async function fetchAsGraphQL(...asked: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...asked)
  if (response.ok) return response
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined)
  if (typeof body !== 'object' || body === null || !('error' in body)) return response
  const { message, ...extensions } = body.error as { message: string }
  return Response.json({ errors: [{ message, extensions }] }, { status: response.status })
}
