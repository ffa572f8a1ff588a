import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { GraphQLSchema } from 'graphql'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { AuthSettings } from '../config/config.ts'
import type { CompleteConfig } from '../config/dev-secrets.ts'
import { isLoopbackHost } from '../config/development-mode.ts'
import { createMetrics, type Metrics } from '../observability/metrics.ts'
import type { OperationIds } from '../observability/operation-ids.ts'
import { createOperationLog } from '../observability/operation-log.ts'
import type { Tracing } from '../observability/tracing.ts'
import type { Clock } from '../ports/clock.ts'
import type { RateLimits } from '../ports/rate-limits.ts'
import type { RefusedViewers } from '../ports/restrictions.ts'
import { unavailable } from '../protocol/errors.ts'
import { createAuthenticate } from './auth/auth.ts'
import { observeKeyFetches, showKeys } from './auth/key-metrics.ts'
import { createKeySet, type KeySet } from './auth/key-set.ts'
import { createRefusedTokensLog } from './auth/refused-tokens-log.ts'
import { createAuthenticateUnlessRefused } from './auth/refused-viewers.ts'
import { createAuthenticateService } from './auth/service-tokens.ts'
import type { FieldCosts } from './documents/document-cost.ts'
import { createErrorMapper } from './execution/errors.ts'
import { createGraphQL } from './execution/graphql.ts'
import { createOperations } from './execution/operations.ts'
import type { CreateContext } from './execution/prepared.ts'
import { createAdminHandler } from './http/admin-route.ts'
import { createAdmit } from './http/admit.ts'
import { createClientAddress } from './http/client-address.ts'
import { type Exchange, type Handler, send } from './http/exchange.ts'
import { createGraphQLHandler } from './http/graphql-http.ts'
import { createHealthHandler, createReadyHandler, type Readiness, showReadiness } from './http/health.ts'
import { createHttpServer, type Routes } from './http/http.ts'
import { closeAfterAnswers, closeListener, sweepIdleConnections } from './http/last-answers.ts'
import { createMediaRoute, type MediaFiles } from './http/media.ts'
import { createOrigins } from './http/origins.ts'
import { createRefusedOriginsLog } from './http/refused-origins.ts'
import { createMessagesHandler, type SendMessage } from './http/rest.ts'
import { defaultHttpTimes, type HttpTimes } from './http/slow-clients.ts'
import { createYogaServer } from './http/yoga.ts'
import { createAdmission, unlimitedAdmission } from './limits/admission.ts'
import { createConnectionLimits } from './limits/connection-limits.ts'
import { within } from './limits/deadline.ts'
import { createRefusals } from './limits/refusals.ts'
import { createWebSockets } from './websocket/websocket.ts'

export type TransportOptions = {
  config: CompleteConfig
  schema: GraphQLSchema
  /** Fields that cost more than the values they show. */
  fieldCosts?: FieldCosts
  /** Makes a new context at each call, with loaders of its own. */
  createContext: CreateContext
  /** The API for backends, if it is served. */
  admin?: AdminApi
  sendMessage: SendMessage
  readiness: Readiness
  /** Who is banned, and which tokens do not count any more. */
  refusedViewers: RefusedViewers
  /** Routes that only development mode serves. */
  devRoutes?: Routes
  /** Present if there is an explorer: `page` shows it to browsers, and has GraphQL answer all other clients. */
  graphiql?: { page: (graphql: Handler) => Handler; routes: Routes }
  /** The pages that are built by themselves and speak to the API like any client. */
  pages?: Routes
  /** Present if the node itself keeps the attachments. */
  mediaFiles?: MediaFiles
  /** Called with each event of a subscription that is handed to its connection. */
  onDelivery?: (event: unknown, ids: OperationIds) => void
  /** Present if traces are sent. */
  tracing?: Tracing
  /** Counts operations for all nodes; the second counts on this node while the first does not answer. */
  rateLimits: RateLimits
  localRateLimits: RateLimits
  /** Tests shorten these. */
  httpTimes?: Partial<HttpTimes>
  /** Tests lengthen it. */
  operationDeadlineMs?: number
  clock: Clock
  randomId: () => string
  logger: Logger
  registry: Registry
}

/** Served at /admin/graphql, to services alone. */
export type AdminApi = Pick<TransportOptions, 'schema' | 'fieldCosts' | 'createContext'>

type Transport = {
  listen(): Promise<{ url: string; port: number }>
  /**
   * First it only reports that it is about to stop, for as long as the configuration says. Then it closes the listener, answers what came
   * before that, ends every subscription and closes all connections. With a delay of up to 3 s all of it takes nine seconds at most, and with a longer
   * one what is left takes 5.5 s.
   */
  drain(): Promise<void>
  /** Whether nothing that was asked of the node is under way. */
  isIdle(): boolean
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
  const origins = createOrigins(config.allowedOrigins, {
    allowLoopback: config.development && isLoopbackHost(config.host),
    onRefused: createRefusedOriginsLog(logger),
  })
  const refusals = createRefusals(options.registry)
  const keySet = config.auth.jwksUrl === undefined ? undefined : openKeySet(config.auth.jwksUrl)
  const logRefused = createRefusedTokensLog(logger, clock)
  const authenticateBy = (auth: AuthSettings) =>
    createAuthenticateUnlessRefused(
      createAuthenticate(auth, clock, {
        keySet,
        badTokens: { perMinute: config.traffic.badTokensPerMinute, refused: () => refusals('bad_tokens') },
        explanations: { toClients: config.development, log: logRefused },
      }),
      options.refusedViewers,
      logRefused,
    )
  const authenticate = authenticateBy(config.auth)
  const { rate, trustedProxies, sparesLoopback, connectionLimits: limitSettings } = config.traffic
  const admission = createAdmission({
    ...options,
    rate,
    sparesLoopback: sparesLoopback.rate,
    refused: () => refusals('operation_rate'),
  })
  const connectionLimits = createConnectionLimits(limitSettings, sparesLoopback, refusals)
  const clientAddress = createClientAddress(trustedProxies)
  const limits = { admission, connectionLimits, clientAddress, refusals }
  const parts = { ...options, ...limits, errors, metrics, log, operations, authenticate, origins }

  function openKeySet(url: string): KeySet {
    const opened = createKeySet({ url, clock, observer: observeKeyFetches(options.registry, logger, clock) })
    showKeys(options.registry, opened)
    return opened
  }

  const hasKeys = keySet && (() => keySet.state().ageMs !== undefined)
  showReadiness(options.registry, options.readiness, hasKeys)

  /** GraphQL at this path, as HTTP and as WebSockets have it. */
  function createDoor(path: string, own: Partial<typeof parts>, acceptAnonymous: boolean) {
    const all = { ...parts, ...own, path, acceptAnonymous }
    const graphql = createGraphQL(all)
    const admit = createAdmit(all.authenticate, all.admission)
    const yoga = createYogaServer({ ...all, graphql, admit })
    const handler = createGraphQLHandler({ ...all, graphql, yoga, admit })
    return { graphql, authenticate: all.authenticate, admission: all.admission, acceptAnonymous, admit, handler }
  }

  const open = createDoor('/graphql', {}, options.graphiql !== undefined)
  const admin = options.admin && createDoor('/admin/graphql', adminParts(options.admin), false)
  const doors = { '/graphql': open, ...(admin && { '/admin/graphql': admin }) }
  const webSockets = createWebSockets({ ...parts, doors })
  options.refusedViewers.onChange(() => {
    webSockets.closeRefused()
    for (const { graphql } of Object.values(doors)) graphql.endRefused()
  })

  /** Services are trusted: neither rates nor persisted operations limit them. Their tokens name them by `sub`, whatever names users. */
  function adminParts(api: AdminApi): Partial<typeof parts> {
    const { userClaim, ...auth } = config.auth
    const { persistedOperations: _public, ...rest } = config
    return {
      ...api,
      fieldCosts: api.fieldCosts ?? {},
      config: { ...rest, introspection: true },
      authenticate: createAuthenticateService(userClaim === undefined ? authenticate : authenticateBy(auth)),
      admission: unlimitedAdmission,
    }
  }

  const graphqlHandler = (exchange: Exchange) => open.handler(exchange)
  const routes: Routes = {
    '/graphql': {
      GET: options.graphiql?.page(graphqlHandler) ?? graphqlHandler,
      POST: graphqlHandler,
      forOtherOrigins: true,
      writesHead: true,
    },
    ...(admin && {
      '/admin/graphql': { POST: createAdminHandler(admin.handler, admin.admit, clientAddress), writesHead: true },
    }),
    '/messages': { POST: createMessagesHandler(parts), forOtherOrigins: true, writesHead: true },
    ...(options.mediaFiles && { '/media': { ...createMediaRoute(options.mediaFiles), longBody: true } }),
    '/healthz': { GET: createHealthHandler(config.release) },
    '/readyz': { GET: createReadyHandler(options.readiness, hasKeys, operations, clock) },
    '/metrics': { GET: createMetricsHandler(metrics) },
    ...options.graphiql?.routes,
    ...options.pages,
    ...options.devRoutes,
  }
  const times = { ...defaultHttpTimes, ...options.httpTimes }
  const server = createHttpServer(routes, origins, errors, times, refusals, options.randomId)
  server.on('upgrade', webSockets.upgrade)

  /** To go on is always better than to hang: the drain does not wait for a step that takes too long. */
  async function step(name: string, withinMs: number, work: Promise<unknown>): Promise<void> {
    await within(clock, withinMs, work).catch(() => logger.warn({ step: name }, 'the drain goes on without waiting'))
  }

  return {
    async listen() {
      keySet?.start()
      server.listen(config.port, config.host)
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo
      return { url: `http://${shownHost(config.host)}:${port}`, port }
    },
    isIdle: operations.isIdle,
    async drain() {
      operations.leave()
      metrics.draining.set(1)
      closeAfterAnswers(server)
      if (config.drainDelayMs > 0) await clock.sleep(config.drainDelayMs)
      const closed = once(server, 'close')
      // Sockets are closed later, so that clients who come back at once come to another node.
      await closeListener(server)
      const stopSweeping = sweepIdleConnections(server, sweepMs)
      await operations.drain(Math.max(operationsDrainMinMs, operationsDrainMs - config.drainDelayMs))
      const { code, reason } = serviceRestart
      await step('sockets', socketsDrainMs, webSockets.close(code, reason))
      const ended = Object.values(doors).map(({ graphql }) => graphql.endSubscriptions(unavailable()))
      await step('subscriptions', subscriptionsDrainMs, Promise.all(ended).then())
      await step('connections', connectionsDrainMs, closed)
      stopSweeping()
      server.closeAllConnections()
      webSockets.terminate()
      keySet?.stop()
    },
  }
}

const createMetricsHandler =
  (metrics: Metrics): Handler =>
  async ({ response }) => {
    const { contentType, text } = await metrics.render()
    send(response, 200, contentType, text)
  }

/** Returns the host name that a browser on this machine can open. */
function shownHost(host: string): string {
  if (['127.0.0.1', '0.0.0.0', '::', '::1'].includes(host)) return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}
