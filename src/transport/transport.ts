import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { GraphQLSchema } from 'graphql'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { CompleteConfig } from '../config/dev-secrets.ts'
import { createMetrics, type Metrics } from '../observability/metrics.ts'
import type { OperationIds } from '../observability/operation-ids.ts'
import { createOperationLog } from '../observability/operation-log.ts'
import type { Tracing } from '../observability/tracing.ts'
import type { Clock } from '../ports/clock.ts'
import type { RateLimits } from '../ports/rate-limits.ts'
import { unavailable } from '../protocol/errors.ts'
import { createAuthenticate } from './auth/auth.ts'
import type { FieldCosts } from './documents/document-cost.ts'
import { createErrorMapper } from './execution/errors.ts'
import { createGraphQL } from './execution/graphql.ts'
import { createOperations, within } from './execution/operations.ts'
import type { CreateContext } from './execution/prepared.ts'
import { createAdmit } from './http/admit.ts'
import { createClientAddress } from './http/client-address.ts'
import { type Handler, send } from './http/exchange.ts'
import { createGraphQLHandler } from './http/graphql-http.ts'
import { createReadyHandler, live, type Readiness } from './http/health.ts'
import { createHttpServer, type Routes } from './http/http.ts'
import { createMediaRoute, type MediaFiles } from './http/media.ts'
import { createOrigins } from './http/origins.ts'
import { createMessagesHandler, type SendMessage } from './http/rest.ts'
import { defaultHttpTimes, type HttpTimes } from './http/slow-clients.ts'
import { createYogaServer } from './http/yoga.ts'
import { createAdmission } from './limits/admission.ts'
import { createPlaces } from './limits/places.ts'
import { createRefusals } from './limits/refusals.ts'
import { createWebSockets } from './websocket/websocket.ts'

export type TransportOptions = {
  config: CompleteConfig
  schema: GraphQLSchema
  /** What makes a field dearer than the values it shows. */
  fieldCosts?: FieldCosts
  /** Makes a new one at each call, with loaders of its own. */
  createContext: CreateContext
  sendMessage: SendMessage
  ready: () => Promise<Readiness>
  /** What else is served in development mode, and only there. */
  devRoutes?: Routes
  /** Where there is an explorer: what shows it to browsers, and has everybody else answered by GraphQL. */
  graphiql?: (graphql: Handler) => Handler
  /** Present where the node itself keeps the attachments. */
  mediaFiles?: MediaFiles
  /** Told of each event of a subscription that is handed to its connection. */
  onDelivery?: (event: unknown, ids: OperationIds) => void
  /** Present where traces are sent somewhere. */
  tracing?: Tracing
  /** How many operations users may start: counted for all nodes, and on this one alone for when the former is away. */
  rateLimits: RateLimits
  localRateLimits: RateLimits
  /** For those who have no patience with slow clients. */
  httpTimes?: Partial<HttpTimes>
  /** For those who have more patience with the stores. */
  operationDeadlineMs?: number
  clock: Clock
  randomId: () => string
  logger: Logger
  registry: Registry
}

export type Transport = {
  listen(): Promise<{ url: string; port: number }>
  /**
   * First only says that it is about to go, for as long as the configuration has it. Then finishes what is under way, lets go of
   * every subscription and closes all connections; nine seconds at most.
   */
  drain(): Promise<void>
}

const operationsDrainMs = 5000
/** No operation takes longer. */
const operationsDrainMinMs = 2500
const socketsDrainMs = 1500
const subscriptionsDrainMs = 1000
const connectionsDrainMs = 500
/** Connections that were kept alive for a next request are closed as soon as they have none. */
const sweepMs = 20
const serviceRestart = { code: 1012, reason: 'Service restart' }

export function createTransport(options: TransportOptions): Transport {
  const { config, clock, logger } = options
  const errors = createErrorMapper(logger, options.randomId)
  const metrics = createMetrics(options.registry)
  const log = createOperationLog(clock, logger, metrics)
  const operations = createOperations(clock, options.operationDeadlineMs)
  const origins = createOrigins(config.allowedOrigins)
  const refusals = createRefusals(options.registry)
  const authenticate = createAuthenticate(config.auth, clock, {
    perMinute: config.traffic.badTokensPerMinute,
    refused: () => refusals('bad_tokens'),
  })
  const { rate, trustedProxies, sparesLoopback, places: placeSettings } = config.traffic
  const admission = createAdmission({
    ...options,
    rate,
    sparesLoopback: sparesLoopback.rate,
    refused: () => refusals('operation_rate'),
  })
  const places = createPlaces(placeSettings, sparesLoopback, refusals)
  const clientAddress = createClientAddress(trustedProxies)
  const limits = { admission, places, clientAddress, refusals }
  const parts = { ...options, ...limits, errors, metrics, log, operations, authenticate, origins }
  const graphql = createGraphQL(parts)
  const webSockets = createWebSockets({ ...parts, graphql, acceptAnonymous: options.graphiql !== undefined })
  const admit = createAdmit(authenticate, admission)
  const yoga = createYogaServer({ ...parts, graphql, admit })
  const graphqlHandler = createGraphQLHandler({ graphql, yoga, admit, errors, clientAddress })
  const routes: Routes = {
    '/graphql': {
      GET: options.graphiql?.(graphqlHandler) ?? graphqlHandler,
      POST: graphqlHandler,
      forOtherOrigins: true,
      writesHead: true,
    },
    '/messages': { POST: createMessagesHandler(parts), forOtherOrigins: true, writesHead: true },
    ...(options.mediaFiles && { '/media': { ...createMediaRoute(options.mediaFiles), longBody: true } }),
    '/healthz': { GET: live },
    '/readyz': { GET: createReadyHandler(options.ready, operations, clock) },
    '/metrics': { GET: createMetricsHandler(metrics) },
    ...options.devRoutes,
  }
  const times = { ...defaultHttpTimes, ...options.httpTimes }
  const server = createHttpServer(routes, origins, errors, times, refusals, options.randomId)
  server.on('upgrade', webSockets.upgrade)

  /** Going on is always better than hanging: a step that takes too long is left behind. */
  async function step(name: string, withinMs: number, work: Promise<unknown>): Promise<void> {
    await within(clock, withinMs, work).catch(() => logger.warn({ step: name }, 'the drain goes on without waiting'))
  }

  return {
    async listen() {
      server.listen(config.port, config.host)
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo
      return { url: `http://${shownHost(config.host)}:${port}`, port }
    },
    async drain() {
      operations.leave()
      metrics.draining.set(1)
      if (config.drainDelayMs > 0) await clock.sleep(config.drainDelayMs)
      const closed = once(server, 'close')
      server.close()
      const sweep = setInterval(() => server.closeIdleConnections(), sweepMs)
      await operations.drain(Math.max(operationsDrainMinMs, operationsDrainMs - config.drainDelayMs))
      const { code, reason } = serviceRestart
      await step('sockets', socketsDrainMs, webSockets.close(code, reason))
      await step('subscriptions', subscriptionsDrainMs, graphql.endSubscriptions(unavailable()))
      await step('connections', connectionsDrainMs, closed)
      clearInterval(sweep)
      server.closeAllConnections()
      webSockets.terminate()
    },
  }
}

const createMetricsHandler =
  (metrics: Metrics): Handler =>
  async ({ response }) => {
    const { contentType, text } = await metrics.render()
    send(response, 200, contentType, text)
  }

/** The name a browser on this machine can open. */
function shownHost(host: string): string {
  if (['127.0.0.1', '0.0.0.0', '::', '::1'].includes(host)) return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}
