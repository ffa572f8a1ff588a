// Answers queries and mutations as Yoga would, without its Request and Response.

import type { ExecutionResult } from 'graphql'
import type { FetchAPI } from 'graphql-yoga'

/** `headers` has names and values in turn. */
type PlainAnswer = { status: number; headers: readonly string[]; body: string }

type PlainMediaType = 'application/json' | 'application/graphql-response+json'

/** Reads `accept` as Yoga does: the first type that is a kind of JSON counts. Returns undefined if there is none. */
export function plainMediaTypeFor(accept: string | undefined): PlainMediaType | undefined {
  if (accept === 'application/json' || accept === '*/*' || !accept) return 'application/json'
  for (const asked of accept.replace(/\s/g, '').toLowerCase().split(',')) {
    const [mediaType = '', ...parameters] = asked.split(';')
    const charset = parameters.find((parameter) => parameter.includes('charset='))
    const [type, subtype] = mediaType.split('/')
    if ((charset ?? utf8) !== utf8 || (type !== '*' && type !== 'application')) continue
    if (subtype === '*' || subtype === 'json') return 'application/json'
    if (subtype === 'graphql-response+json') return 'application/graphql-response+json'
  }
  return undefined
}

const utf8 = 'charset=utf-8'

export const plainAnswerOf = (json: string, mediaType: PlainMediaType): PlainAnswer => ({
  status: 200,
  headers: headersOf[mediaType],
  body: json,
})

/** Yoga decides which status an error has, and what is shown of it. */
export async function plainErrorOf(result: ExecutionResult, mediaType: PlainMediaType): Promise<PlainAnswer> {
  const { processRegularResult } = await import('graphql-yoga')
  const { status, headers, body } = processRegularResult(result, answerParts, mediaType) as unknown as AnswerParts
  const challenge = status === 401 ? { 'www-authenticate': 'Bearer' } : {}
  return { status, headers: Object.entries({ ...headers, ...challenge }).flat(), body }
}

const headersOf = {
  'application/json': ['Content-Type', 'application/json; charset=utf-8'],
  'application/graphql-response+json': ['Content-Type', 'application/graphql-response+json; charset=utf-8'],
} as const

/** This is used instead of a Response. */
class AnswerParts {
  readonly body: string
  readonly status: number
  readonly headers: Record<string, string>

  constructor(body: string, { status, headers }: { status: number; headers: Record<string, string> }) {
    this.body = body
    this.status = status
    this.headers = headers
  }
}

const answerParts = { Response: AnswerParts } as unknown as FetchAPI
