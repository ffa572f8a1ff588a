import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { requestIdOf } from '../../observability/operation-ids.ts'
import { ChatError } from '../../protocol/errors.ts'
import { type ErrorMapper, HttpRefusal } from '../execution/errors.ts'
import type { Refusals } from '../limits/refusals.ts'
import { type Exchange, type Handler, sendProblem, setHead } from './exchange.ts'
import type { Origins } from './origins.ts'
import { securityHeaders } from './security-headers.ts'
import {
  cutStalled,
  defaultHttpTimes,
  type HttpTimes,
  limitBody,
  refuseUnreadable,
  serverOptions,
} from './slow-clients.ts'

export type Route = {
  GET?: Handler
  POST?: Handler
  PUT?: Handler
  /** Pages of other origins may use it, if ALLOWED_ORIGINS says so. */
  forOtherOrigins?: boolean
  /** Pages of this machine may use it, if the node is in development mode; other pages may not, even those of ALLOWED_ORIGINS. */
  forLoopbackPages?: boolean
  /** Pages of any origin may show it: its URLs are signed, and any holder of one may use it. */
  forAnyPage?: boolean
  /** Bodies that are sent here may take longer. */
  longBody?: boolean
  /** Its POST writes the headers that every answer has by itself, together with its own. */
  writesHead?: boolean
}

export type Routes = Readonly<Record<string, Route>>

/** Serves everything over HTTP. An error that a route throws becomes a REST error. */
export function createHttpServer(
  routes: Routes,
  origins: Origins,
  errors: ErrorMapper,
  times: HttpTimes = defaultHttpTimes,
  refusals: Refusals = () => undefined,
  randomId: () => string = randomUUID,
): Server {
  async function answer(exchange: Exchange): Promise<void> {
    const { request, response } = exchange
    const route = routeOf(request.url ?? '/')
    if (!route?.longBody) limitBody(exchange, times.bodyMs, errors, refusals)
    if (!route) throw new ChatError('NOT_FOUND', 'There is nothing at this path.')
    if (isForOthers(route)) origins.expose(exchange, route.forOtherOrigins ? 'allowed' : 'loopback')
    if (!route.writesHead || request.method !== 'POST') setHead(exchange)
    const handler = handlerFor(request.method, route)
    if (!handler) {
      response.setHeader('allow', methodsOf(route).join(', '))
      throw new HttpRefusal(405, `Expected ${methodsOf(route).join(' or ')}.`)
    }
    if (!route.forAnyPage && !isHarmless(request) && !origins.allows(request)) {
      throw new ChatError('FORBIDDEN', 'A page of another origin may do this only if ALLOWED_ORIGINS names its origin.')
    }
    await handler(exchange)
  }

  function routeOf(url: string): Route | undefined {
    const end = url.indexOf('?')
    const path = end < 0 ? url : url.slice(0, end)
    return Object.hasOwn(routes, path) ? routes[path] : undefined
  }

  function handlerFor(method: string | undefined, route: Route): Handler | undefined {
    if (method === 'OPTIONS' && isForOthers(route)) {
      return (exchange) => origins.preflight(exchange, route.PUT ? 'GET, PUT' : 'GET, POST')
    }
    // Node leaves out the body of an answer to HEAD.
    if (method === 'GET' || method === 'HEAD') return route.GET
    return method === 'POST' || method === 'PUT' ? route[method] : undefined
  }

  const server = createServer(serverOptions(times), (request, response) => {
    const requestId = requestIdOf(request, randomId)
    const exchange = { request, response, requestId, head: [...securityHeaders, 'x-request-id', requestId] }
    answer(exchange).catch((error: unknown) => {
      if (!response.destroyed) sendProblem(exchange, errors.about({ requestId }).toProblem(error))
    })
  })
  cutStalled(server, times, refusals)
  refuseUnreadable(server)
  return server
}

/**
 * A preflight does nothing, and a link that a user follows shows them a page. A foreign page could make a browser send all other requests
 * without asking: a form's POST, an image's GET.
 */
const isHarmless = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' || (method === 'GET' && headers['sec-fetch-mode'] === 'navigate')

const isForOthers = (route: Route): boolean => route.forOtherOrigins === true || route.forLoopbackPages === true

const methodsOf = (route: Route): string[] =>
  (['GET', 'POST', 'PUT'] as const).filter((method) => route[method] !== undefined)
