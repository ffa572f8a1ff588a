import type { ServerResponse } from 'node:http'
import type { ClientAddress } from './client-address.ts'
import { type ErrorMapper, HttpRefusal } from './errors.ts'
import { type Handler, readText, sendJson } from './exchange.ts'
import type { GraphQL } from './graphql.ts'
import { ownOrigin } from './origins.ts'

const passedOn = ['accept', 'authorization'] as const

/** GraphQL over HTTP; a subscription is answered by server-sent events. */
export function createGraphQLHandler(graphql: GraphQL, errors: ErrorMapper, clientAddress: ClientAddress): Handler {
  return async ({ request, response, requestId }) => {
    const exchange = new AbortController()
    response.once('close', () => exchange.abort())
    try {
      const { method = 'GET', url = '/graphql' } = request
      if (method === 'POST' && !isJson(request.headers['content-type'])) throw refusalOf(415)
      const headers = Object.fromEntries(passedOn.flatMap((name) => [[name, request.headers[name]]]).filter(hasValue))
      // Written as Yoga knows it: to Yoga, names of types have a case.
      if (method === 'POST') headers['content-type'] = 'application/json'
      const body = method === 'POST' ? { body: await readText(request) } : {}
      const about = { requestId, traceparent: request.headers.traceparent, address: clientAddress(request) }
      const asked = `${ownOrigin(request)}${url}`
      const answer = await graphql.fetch(asked, { method, headers, ...body }, exchange.signal, about)
      await pass(answer, response)
    } catch (error) {
      if (exchange.signal.aborted) return
      const graphQLError = errors.about({ requestId }).toGraphQLError(error)
      sendJson(response, errors.toProblem(graphQLError).status, { errors: [graphQLError] })
    }
  }
}

/** Yoga would also take forms, which any page can have a browser send without asking. */
const isJson = (contentType = ''): boolean => /^application\/json *(;|$)/i.test(contentType)

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

function refusalOf(status: number): HttpRefusal {
  if (status === 415) return new HttpRefusal(status, 'Expected content-type: application/json.')
  return new HttpRefusal(
    status,
    'Expected to answer with application/json or application/graphql-response+json; a subscription with text/event-stream.',
  )
}
