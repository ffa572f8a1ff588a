import type { ServerResponse } from 'node:http'
import { type ErrorMapper, HttpRefusal } from '../execution/errors.ts'
import type { GraphQL, HttpRequest } from '../execution/graphql.ts'
import type { Admitted } from '../execution/use-admission.ts'
import type { ClientAddress } from './client-address.ts'
import { answer, assertJson, type Exchange, type Handler, readText, sendJson, setHead } from './exchange.ts'
import { ownOrigin } from './origins.ts'
import { plainAnswerOf, plainMediaTypeFor } from './plain-answer.ts'

const passedOn = ['accept', 'authorization'] as const

/** GraphQL over HTTP; a subscription is answered by server-sent events. What is ordinary goes no further than `answerPlainly`. */
export function createGraphQLHandler(graphql: GraphQL, errors: ErrorMapper, clientAddress: ClientAddress): Handler {
  /** Undefined once it is answered. */
  async function answerPlainly(exchange: Exchange, text: string, about: HttpRequest): Promise<Admitted | undefined> {
    const { headers, url } = exchange.request
    const mediaType = plainMediaTypeFor(headers.accept)
    const params = url === '/graphql' && mediaType ? parseObject(text) : undefined
    if (!params || !mediaType) return {}
    const begun = await graphql.begin(params, headers.authorization, about)
    if (!begun.answer) return begun
    const plain = plainAnswerOf(begun.answer, mediaType)
    answer(exchange, plain.status, plain.headers, plain.body)
    return undefined
  }

  async function askYoga({ request, response }: Exchange, body: string | undefined, about: HttpRequest & Admitted) {
    const { method = 'GET', url = '/graphql' } = request
    const gone = new AbortController()
    if (response.destroyed) gone.abort()
    else response.once('close', () => gone.abort())
    const headers = Object.fromEntries(passedOn.flatMap((name) => [[name, request.headers[name]]]).filter(hasValue))
    // Written as Yoga knows it: to Yoga, names of types have a case.
    if (method === 'POST') headers['content-type'] = 'application/json'
    const asked = { method, headers, ...(body !== undefined && { body }) }
    await pass(await graphql.fetch(`${about.origin}${url}`, asked, gone.signal, about), response)
  }

  return async (exchange) => {
    const { request, response, requestId } = exchange
    try {
      const { method, headers } = request
      if (method === 'POST') assertJson(request)
      const body = method === 'POST' ? await readText(request) : undefined
      const address = clientAddress(request)
      const about = { requestId, traceparent: headers.traceparent, address, origin: ownOrigin(request) }
      const admitted = body === undefined ? {} : await answerPlainly(exchange, body, about)
      if (!admitted) return
      setHead(exchange)
      await askYoga(exchange, body, { ...about, ...admitted })
    } catch (error) {
      if (response.destroyed) return
      setHead(exchange)
      const graphQLError = errors.about({ requestId }).toGraphQLError(error)
      sendJson(response, errors.toProblem(graphQLError).status, { errors: [graphQLError] })
    }
  }
}

/** Undefined for what is none: Yoga has the words for it. */
function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

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
