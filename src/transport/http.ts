import { createServer, type Server } from 'node:http'
import { ChatError } from '../protocol/errors.ts'
import { type ErrorMapper, HttpRefusal } from './errors.ts'
import { type Exchange, type Handler, sendProblem } from './exchange.ts'
import { requestIdOf } from './operation-ids.ts'
import type { Origins } from './origins.ts'

export type Route = {
  GET?: Handler
  POST?: Handler
  PUT?: Handler
  /** Pages of other origins may use it, if ALLOWED_ORIGINS says so. */
  forOtherOrigins?: boolean
}

export type Routes = Readonly<Record<string, Route>>

/** Everything over HTTP; what the routes throw becomes the REST error it stands for. */
export function createHttpServer(
  routes: Routes,
  origins: Origins,
  errors: ErrorMapper,
  randomId: () => string,
): Server {
  async function answer(exchange: Exchange): Promise<void> {
    const { request, response } = exchange
    const [path = '/'] = (request.url ?? '/').split('?', 1)
    const route = Object.hasOwn(routes, path) ? routes[path] : undefined
    if (!route) throw new ChatError('NOT_FOUND', 'There is nothing at this path.')
    if (route.forOtherOrigins) origins.expose(request, response)
    const handler = handlerFor(request.method, route)
    if (!handler) {
      response.setHeader('allow', methodsOf(route).join(', '))
      throw new HttpRefusal(405, `Expected ${methodsOf(route).join(' or ')}.`)
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

  return createServer((request, response) => {
    const requestId = requestIdOf(request, randomId)
    response.setHeader('x-request-id', requestId)
    answer({ request, response, requestId }).catch((error: unknown) => {
      if (!response.destroyed) sendProblem(response, errors.about({ requestId }).toProblem(error))
    })
  })
}

const methodsOf = (route: Route): string[] =>
  (['GET', 'POST', 'PUT'] as const).filter((method) => route[method] !== undefined)
