import type { ServerResponse } from 'node:http'
import type { Answer } from '../../engine/graphql/answer.ts'
import { namesDocument } from '../documents/persisted-operations.ts'
import type { RequestParams } from '../documents/request-params.ts'
import { type ErrorMapper, HttpRefusal } from '../execution/errors.ts'
import type { GraphQL } from '../execution/graphql.ts'
import type { OperationContext } from '../execution/prepared.ts'
import type { Admit, Admitted } from './admit.ts'
import type { ClientAddress } from './client-address.ts'
import { answer, assertJson, type Exchange, readText, sendJson, setHead } from './exchange.ts'
import { ownOrigin } from './origins.ts'
import { plainAnswerOf, plainErrorOf, plainMediaTypeFor } from './plain-answer.ts'
import type { Yoga } from './yoga.ts'

export type GraphQLHandlerOptions = {
  /** Where it is served. */
  path: string
  graphql: GraphQL
  yoga: Yoga
  admit: Admit
  errors: ErrorMapper
  clientAddress: ClientAddress
}

/** Answers a request; `admitted` if it was admitted before. */
export type GraphQLHandler = (exchange: Exchange, admitted?: Admitted['admitted']) => Promise<void>

const passedOn = ['accept', 'authorization'] as const

/**
 * GraphQL over HTTP. A query or mutation that is posted as JSON, and is to be answered by JSON, is read and answered here. Yoga
 * reads and answers everything else: GET, server-sent events, other media types, and malformed requests. Both prepare and execute alike.
 */
export function createGraphQLHandler(options: GraphQLHandlerOptions): GraphQLHandler {
  const { path, graphql, yoga, admit, errors, clientAddress } = options

  /** Returns undefined once the request is answered. */
  async function answerPlainly(
    exchange: Exchange,
    text: string,
    context: OperationContext,
    before: Admitted,
  ): Promise<Admitted | undefined> {
    const { headers, url } = exchange.request
    const mediaType = plainMediaTypeFor(headers.accept)
    const params = url === path && mediaType ? parseParams(text) : undefined
    if (!params || !mediaType) return before
    const admitted = before.admitted ?? admit(headers.authorization, context.address ?? '')
    try {
      context.viewer = await admitted
    } catch {
      return { admitted }
    }
    const given = executed(params, context)
    if (!given) return { admitted }
    const { json, result } = given instanceof Promise ? await given : given
    const plain = result?.errors ? await plainErrorOf(result, mediaType) : plainAnswerOf(json, mediaType)
    answer(exchange, plain.status, plain.headers, plain.body)
    return undefined
  }

  /** Returns undefined for a subscription. */
  function executed(params: RequestParams, context: OperationContext): Answer | Promise<Answer> | undefined {
    const prepared = graphql.prepare(params, context)
    if ('errors' in prepared) return { json: '', result: prepared }
    return prepared.plan.type === 'subscription' ? undefined : graphql.execute(prepared)
  }

  async function askYoga(
    { request, response }: Exchange,
    body: string | undefined,
    about: OperationContext & Admitted,
  ) {
    const { method = 'GET', url = path } = request
    const gone = new AbortController()
    if (response.destroyed) gone.abort()
    else response.once('close', () => gone.abort())
    const headers = Object.fromEntries(passedOn.flatMap((name) => [[name, request.headers[name]]]).filter(hasValue))
    // The media type is written as Yoga knows it, because Yoga compares its case.
    if (method === 'POST') headers['content-type'] = 'application/json'
    const asked = { method, headers, ...(body !== undefined && { body }) }
    await pass(await yoga.fetch(`${about.origin}${url}`, asked, { ...about, signal: gone.signal }), response)
  }

  return async (exchange, before) => {
    const { request, response, requestId } = exchange
    try {
      const { method, headers } = request
      if (method === 'POST') assertJson(request)
      const body = method === 'POST' ? await readText(request) : undefined
      const context: OperationContext = {
        transport: 'http',
        viewer: undefined,
        origin: ownOrigin(request),
        address: clientAddress(request),
        ids: { requestId },
        traceparent: headers.traceparent,
      }
      const given: Admitted = before === undefined ? {} : { admitted: before }
      const admitted = body === undefined ? given : await answerPlainly(exchange, body, context, given)
      if (!admitted) return
      setHead(exchange)
      await askYoga(exchange, body, { ...context, ...admitted })
    } catch (error) {
      if (response.destroyed) return
      setHead(exchange)
      const graphQLError = errors.about({ requestId }).toGraphQLError(error)
      sendJson(response, errors.toProblem(graphQLError).status, { errors: [graphQLError] })
    }
  }
}

const paramNames = new Set(['query', 'documentId', 'operationName', 'variables', 'extensions'])

/** Returns undefined for malformed parameters: Yoga has the messages for them. */
function parseParams(text: string): RequestParams | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) && isWellFormed(value)
      ? value
      : undefined
  } catch {
    return undefined
  }
}

function isWellFormed(params: RequestParams): boolean {
  for (const name in params) if (!paramNames.has(name)) return false
  const { query, variables, extensions } = params
  const hasDocument = typeof query === 'string' || ((query === undefined || query === null) && namesDocument(params))
  return hasDocument && isObjectOrNothing(variables) && isObjectOrNothing(extensions)
}

const isObjectOrNothing = (value: unknown): boolean =>
  value === undefined || (typeof value === 'object' && !Array.isArray(value))

const hasValue = (entry: (string | undefined)[]): entry is [string, string] => entry[1] !== undefined

async function pass(answer: Response, response: ServerResponse): Promise<void> {
  if (answer.body === null) throw refusalOf(answer.status)
  answer.headers.forEach((value, name) => {
    response.setHeader(name, value)
  })
  if (answer.status === 401) response.setHeader('www-authenticate', 'Bearer')
  if (!answer.headers.get('content-type')?.startsWith('text/event-stream')) {
    response.writeHead(answer.status).end(await answer.text())
    return
  }
  // Otherwise proxies collect events before they pass them on.
  response.setHeader('x-accel-buffering', 'no')
  response.writeHead(answer.status)
  await pump(answer.body, response)
}

/** Takes the next event only when the client has room for it. */
async function pump(body: ReadableStream<Uint8Array>, response: ServerResponse): Promise<void> {
  for await (const chunk of body) {
    if (response.destroyed) return
    if (!response.write(chunk)) await roomIn(response)
  }
  response.end()
}

const roomIn = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const settle = () => {
      response.off('drain', settle).off('close', settle)
      resolve()
    }
    response.on('drain', settle).on('close', settle)
  })

const refusalOf = (status: number): HttpRefusal =>
  new HttpRefusal(
    status,
    'Expected to answer with application/json or application/graphql-response+json; a subscription with text/event-stream.',
  )
