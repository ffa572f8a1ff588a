import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { ChatError } from '../protocol/errors.ts'
import { type ErrorMapper, HttpRefusal } from './errors.ts'
import { type Exchange, type Handler, sendProblem } from './exchange.ts'
import { requestIdOf } from './operation-ids.ts'
import type { Origins } from './origins.ts'
import type { Refusals } from './refusals.ts'
import { secure } from './security-headers.ts'
import { cutStalled, defaultHttpTimes, type HttpTimes, limitBody, serverOptions } from './slow-clients.ts'

export type Route = {
  GET?: Handler
  POST?: Handler
  PUT?: Handler
  /** Pages of other origins may use it, if ALLOWED_ORIGINS says so. */
  forOtherOrigins?: boolean
  /** Pages of any origin may show it: its URLs are signed, and whoever has one may use it. */
  forAnyPage?: boolean
  /** What is sent here may take its time. */
  longBody?: boolean
}

export type Routes = Readonly<Record<string, Route>>

/** Everything over HTTP; what the routes throw becomes the REST error it stands for. */
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
    const [path = '/'] = (request.url ?? '/').split('?', 1)
    const route = Object.hasOwn(routes, path) ? routes[path] : undefined
    if (!route?.longBody) limitBody(exchange, times.bodyMs, errors, refusals)
    if (!route) throw new ChatError('NOT_FOUND', 'There is nothing at this path.')
    if (route.forOtherOrigins) origins.expose(request, response)
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

  function handlerFor(method: string | undefined, route: Route): Handler | undefined {
    if (method === 'OPTIONS' && route.forOtherOrigins) {
      return (exchange) => origins.preflight(exchange, route.PUT ? 'GET, PUT' : 'GET, POST')
    }
    // Node leaves out the body of an answer to HEAD.
    if (method === 'GET' || method === 'HEAD') return route.GET
    return method === 'POST' || method === 'PUT' ? route[method] : undefined
  }

  const server = createServer(serverOptions(times), (request, response) => {
    secure(response)
    const requestId = requestIdOf(request, randomId)
    response.setHeader('x-request-id', requestId)
    answer({ request, response, requestId }).catch((error: unknown) => {
      if (!response.destroyed) sendProblem(response, errors.about({ requestId }).toProblem(error))
    })
  })
  cutStalled(server, times, refusals)
  return server
}

/**
 * A preflight does nothing, and a link that somebody follows shows them a page. All else a foreign page could have a browser send
 * without asking: a form's POST, an image's GET.
 */
const isHarmless = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' || (method === 'GET' && headers['sec-fetch-mode'] === 'navigate')

const methodsOf = (route: Route): string[] =>
  (['GET', 'POST', 'PUT'] as const).filter((method) => route[method] !== undefined)
