import { randomUUID } from 'node:crypto'
import type { DestinationStream, Logger } from 'pino'
import { Registry } from 'prom-client'
import { createAdminContextFactory } from './admin/resolvers/create-context.ts'
import { adminSchema } from './admin/schema/schema.ts'
import type { Config, TracingSettings } from './config/config.ts'
import { derivePayloadKey } from './config/derived-secrets.ts'
import { completeConfig } from './config/dev-secrets.ts'
import { withInstalledParts } from './config/optional-parts.ts'
import { findConsole } from './dev/console.ts'
import { findDemo } from './dev/demo.ts'
import { createGraphiQL } from './dev/graphiql.ts'
import { createDevRoutes } from './dev/routes.ts'
import { directConversationId } from './domain/conversations/conversation-id.ts'
import { createDomain } from './domain/domain.ts'
import type { PayloadKey } from './domain/log/payloads.ts'
import { checkEverySeconds } from './domain/people/held-restrictions.ts'
import type { DynamoCall } from './engine/dynamodb/client.ts'
import { dynamoFailureReason } from './engine/dynamodb/failure-reason.ts'
import { redisFailureReason } from './engine/redis/failure-reason.ts'
import { createAuditLog } from './observability/audit-log.ts'
import { showBuildInfo } from './observability/build-info.ts'
import { createDeliveryLog, noteSent } from './observability/delivery-log.ts'
import { createFailedCallsLog } from './observability/failed-calls-log.ts'
import { createLogger } from './observability/logger.ts'
import { createNodeMetrics, type ProcessError } from './observability/node-metrics.ts'
import type { OperationIds } from './observability/operation-ids.ts'
import type { Tracing } from './observability/tracing.ts'
import type { Clock } from './ports/clock.ts'
import type { Ports } from './ports/ports.ts'
import { createSnowflake } from './protocol/snowflake.ts'
import { createPushMetrics } from './push/metrics.ts'
import { startPushWorker } from './push/worker.ts'
import { createContextFactory } from './resolvers/create-context.ts'
import { createCursors } from './resolvers/cursors.ts'
import { createSendByRest } from './resolvers/messages/send-by-rest.ts'
import { fieldCosts } from './schema/field-costs.ts'
import { schema } from './schema/schema.ts'
import { hmacBy } from './shared/hmac.ts'
import { createOnceAMinute } from './shared/once-a-minute.ts'
import { combineCallObservers } from './shared/watch-call.ts'
import { UnusableRedisError } from './store/deployment.ts'
import { createRateLimitsMemory } from './store/embedded/soft-state/rate-limits.ts'
import { createDevTokens } from './transport/auth/auth.ts'
import { createIsFamiliarHost } from './transport/http/familiar-host.ts'
import { createTransport } from './transport/transport.ts'
import { createWebhookMetrics } from './webhooks/metrics.ts'
import { createWebhookPost } from './webhooks/post.ts'
import { startWebhookWorker } from './webhooks/worker.ts'
import { openBackends } from './wiring/open-backends.ts'
import { openMedia } from './wiring/open-media.ts'
import { openPreSend } from './wiring/open-pre-send.ts'
import { openPush, type PushServices } from './wiring/open-push.ts'
import { createReadiness } from './wiring/readiness.ts'
import { systemClock } from './wiring/system-clock.ts'

const secondMs = 1000
const leaseMs = 20_000
/** How often a node looks whether it can write to DynamoDB, which costs a write unit. Where nobody does anything, nothing else would show it. */
const proveWritesMs = 15_000
const dynamoTimeoutMs = 500
/** Whoever asks whether the node is ready gets an answer that is at most so old. */
const dynamoFreshMs = 2000
const sweepUploadsMs = 10 * 60_000
const lookForWorkMs = 5000
const checkRestrictionsMs = checkEverySeconds * 1000

export type AppOptions = {
  logger?: Logger
  /** Where the log goes instead of the standard output. */
  logTo?: DestinationStream
  /** A test or the benchmark counts the calls to the stores. */
  onDynamoCall?: (call: DynamoCall) => void
  onRedisRoundTrip?: (name: string) => void
  /** The node has found that it must not go on, and is not ready any more: the caller stops it. */
  onUnusable?: (error: Error) => void
  /** A write to the embedded store has failed: the caller ends the process at once. */
  onStoreFailed?: () => void
  /** A test may set another time than the system's. */
  clock?: Clock
  /** A test may play the push services. `works`: whether this node works the queue off. */
  push?: PushServices & { works?: boolean }
  /** A test may have work taken over sooner, and exports written in smaller parts. */
  /** How often a node looks whether it can write to DynamoDB; a test that counts the calls, or waits for one, sets another time. */
  proveWritesMs?: number
  tasks?: { lookMs: number; leaseMs: number; partBytes: number; settleMs: number }
  /** A test may have a node look for changes of webhooks, and for shares to take, more often. */
  webhookLookMs?: number
  /** Tests on a busy machine need longer deadlines, as what is in time elsewhere would be late there. */
  deadlines?: { redisMs?: number; dynamoMs?: number; operationMs?: number; preSendMs?: number; webhookMs?: number }
}

export type App = ReturnType<typeof createApp>

/** Makes one node: builds the parts, connects them, and takes them apart again. Only this file knows every folder. */
export function createApp(config: Config, options: AppOptions = {}) {
  const logger = options.logger ?? createLogger(config.logLevel, options.logTo)
  let running: Awaited<ReturnType<typeof run>> | undefined

  return {
    async start() {
      running = await run(config, logger, options)
      return running.started
    },
    async stop() {
      await running?.stop()
      running = undefined
    },
    /** Logs and counts an error that no code has handled. */
    unexpected(kind: ProcessError, error: unknown) {
      const level = kind === 'uncaught_exception' ? 'fatal' : 'error'
      logger[level]({ kind, err: error }, 'an error that no code handles')
      running?.metrics.processError(kind)
    },
    /** Logs everything, or as much as the configuration says again. */
    toggleDebugLog() {
      logger.level = logger.level === config.logLevel ? 'debug' : config.logLevel
      logger.warn({ logLevel: logger.level }, 'the log level was changed')
    },
    parts() {
      if (!running) throw new Error('The node is not running.')
      return running.parts
    },
  }
}

async function run(given: Config, logger: Logger, options: AppOptions) {
  const { onDynamoCall, onRedisRoundTrip, clock = systemClock, deadlines = {} } = options
  const config = withInstalledParts(await completeConfig(given), (text) => logger.warn(text))
  const undo: (() => Promise<void>)[] = []
  const stop = async () => {
    for (const each of undo.splice(0).reverse()) await each()
  }
  try {
    const build = { release: config.release, node: process.version }
    logger.info(build, 'starting')
    if (config.developmentWarning) logger.warn(config.developmentWarning)
    if (config.rotationWarning) logger.warn(config.rotationWarning)
    const tracing = config.tracing && (await openTracing(config.tracing, clock))
    if (tracing) undo.push(tracing.close)
    const registry = new Registry()
    showBuildInfo(registry, build)
    const readiness = createReadiness({
      checks: {
        redis: { run: () => soft.renew(), reasonOf: redisReason },
        dynamodb: { run: () => kept.check(), reasonOf: dynamoFailureReason, freshMs: dynamoFreshMs },
      },
      clock,
      onChange(check, { isFit, reason }, error) {
        if (isFit) logger.info({ check }, 'ready again')
        else logger.warn({ check, reason, err: error }, 'not ready')
      },
    })
    const onceAMinute = createOnceAMinute(clock)
    const [logRedis, logDynamo] = (['Redis', 'DynamoDB'] as const).map((backend) =>
      createFailedCallsLog(logger, (name, tell) => onceAMinute(`${backend} ${name}`, tell), backend),
    )
    const metrics = createNodeMetrics(registry, {
      clock,
      redisLinks: () => soft.links(),
      clockOffsetMs: () => soft.clockOffsetMs?.() ?? 0,
      reasons: { redis: redisReason, dynamodb: dynamoFailureReason },
      onFailed: {
        redis(...failed) {
          readiness.doubt('redis')
          logRedis?.(...failed)
        },
        dynamodb(...failed) {
          readiness.doubt('dynamodb')
          logDynamo?.(...failed)
        },
      },
    })
    const { kept, soft, close } = await openBackends(config, {
      clock,
      now: Date.now,
      random: Math.random,
      logger,
      deadlines: { dynamoMs: dynamoTimeoutMs, ...deadlines },
      onDynamoCall(call) {
        metrics.capacity(call)
        onDynamoCall?.(call)
      },
      watch: {
        redis: combineCallObservers(metrics.redis, tracing?.redis),
        dynamodb: combineCallObservers(metrics.dynamodb, tracing?.dynamodb),
      },
      ...(onRedisRoundTrip && { onRedisRoundTrip }),
      ...(tracing && { onTraced: tracing.heard }),
      ...(options.onUnusable && { onUnusable: options.onUnusable }),
      ...(options.onStoreFailed && { onStoreFailed: options.onStoreFailed }),
    })
    undo.push(close)
    const describe = { redis: soft.description, dynamodb: kept.description }

    const media = await openMedia(config, clock)
    undo.push(media.close)
    const push = openPush(config, soft, clock, options.push ?? {})
    undo.push(async () => Object.values(push?.providers ?? {}).forEach((provider) => void provider.close()))
    const preSend = openPreSend(config, { clock, registry, logger, timeoutMs: deadlines.preSendMs })
    if (preSend) undo.push(async () => preSend.close())
    const webhookTrouble = (error: unknown) => logger.warn({ err: error }, 'webhooks')
    const webhookPost = config.events
      ? createWebhookPost({
          allowed: config.webhookAddresses ?? 'public',
          clock,
          ...(deadlines.webhookMs && { timeoutMs: deadlines.webhookMs }),
        })
      : undefined
    if (webhookPost) undo.push(async () => webhookPost.close())
    const ports: Ports = {
      ...kept.stores,
      ...soft.softState,
      ...media.ports,
      quotas: soft.quotas,
      ...(push && { push }),
      ...(preSend && { preSend }),
      ...(webhookPost && { webhookPost }),
      clock,
    }
    const pushTrouble = (error: unknown) => logger.warn({ err: error }, 'push')
    const domain = createDomain(ports, {
      nextMessageId: createSnowflake(clock.now, soft.nodeNumber),
      randomId,
      payloadKeys: config.cursorSecrets.map(payloadKeyOf),
      feed: config.events,
      ...(webhookPost && {
        webhooks: {
          random: Math.random,
          observer: createWebhookMetrics(registry, (webhookId, reason) =>
            logger.warn({ webhookId, reason }, 'a webhook was switched off'),
          ),
          onError: webhookTrouble,
        },
      }),
      shortHashes: config.claimRows.form === 'short',
      localAvatars: config.development,
      uploadBudget: config.traffic.uploads,
      ...(config.groupQuotas && { groupQuotas: config.groupQuotas }),
      ...(push && {
        push: {
          preview: config.push.preview,
          random: Math.random,
          observer: createPushMetrics(registry, { backlog: push.queue.backlog, onError: pushTrouble }),
        },
      }),
      observer: metrics.observer,
      onDetachError: (error) => logger.warn({ err: error }, 'a stream could not be detached cleanly'),
      onApplyError: (error) => logger.warn({ err: error }, 'a change in the log cannot be applied to its message'),
      onWorkError: (error) => logger.warn({ err: error }, 'work that goes on by itself has failed, and is tried again'),
      ...(options.tasks && {
        workTimes: options.tasks,
        exportPartBytes: options.tasks.partBytes,
        settleMs: options.tasks.settleMs,
      }),
      onRestrictionsError: (error) => logger.warn({ err: error }, 'who is banned was not heard or read'),
      onMediaError: (error) => logger.warn({ err: error }, 'a file of a deleted message could not be removed'),
    })
    await domain.refused.open()
    undo.push(domain.refused.close)
    const cursors = createCursors(config.cursorSecrets)
    const createContext = createContextFactory({
      domain,
      cursors,
      clock,
      onSentFor: noteSent,
      onNameError: (error) => logger.warn({ err: error }, 'a name was not kept'),
    })
    const createAdminContext = createAdminContextFactory({
      domain,
      cursors,
      clock,
      audit: createAuditLog(logger, registry),
    })
    const isFamiliarHost = createIsFamiliarHost(config.host, config.allowedOrigins)
    const devTokens = config.development && config.auth.secrets && createDevTokens(config.auth.secrets[0], clock)
    const dev = { isFamiliarHost, exampleConversationId: directConversationId, config }
    const onDelivery = createDeliveryLog(logger, metrics)
    const transport = createTransport({
      config,
      schema,
      fieldCosts,
      createContext,
      admin: { schema: adminSchema, createContext: createAdminContext },
      sendMessage: createSendByRest(createContext),
      refusedViewers: domain.refused,
      readiness: {
        async ask() {
          const [redis, dynamodb] = await Promise.all([readiness.ask('redis'), readiness.ask('dynamodb')])
          return { redis: redis.isFit && !soft.links().events ? unheard : redis, dynamodb }
        },
        last: () => ({
          redis: readiness.last('redis') !== false && soft.links().events,
          dynamodb: readiness.last('dynamodb') !== false,
        }),
      },
      ...(devTokens && {
        devRoutes: createDevRoutes({ ...dev, devTokens, demo: await findDemo(undefined, config.developmentWarning) }),
      }),
      ...(config.graphiql && { graphiql: createGraphiQL({ ...dev, ...(devTokens && { devTokens }) }) }),
      ...(config.adminConsole && {
        pages: await findConsole({ devTokens: config.development, developmentWarning: config.developmentWarning }),
      }),
      ...(media.files && { mediaFiles: media.files }),
      onDelivery: tracing ? combineDeliveryObservers(onDelivery, tracing.delivered) : onDelivery,
      ...(tracing && { tracing }),
      rateLimits: soft.rateLimits,
      localRateLimits: createRateLimitsMemory(clock),
      ...(deadlines.operationMs && { operationDeadlineMs: deadlines.operationMs }),
      clock,
      randomId,
      logger,
      registry,
    })
    const regularly = (ms: number, task: () => Promise<unknown>) => {
      const onError = (error: unknown) => logger.warn({ err: error }, 'regular work has failed')
      const timer = setInterval(() => task().catch(onError), ms)
      undo.push(async () => clearInterval(timer))
    }
    regularly(leaseMs, () => readiness.check('redis'))
    regularly(options.proveWritesMs ?? proveWritesMs, () => readiness.check('dynamodb'))
    const { tick, holdLease, giveUpLease } = domain.resyncScheduler
    const onLeaseError = (error: unknown) =>
      logger.warn({ err: error }, 'the lease of the node was not held or given up')
    undo.push(async () => {
      if (transport.isIdle() && domain.isAllTold()) await giveUpLease().catch(onLeaseError)
    })
    regularly(secondMs, tick)
    void holdLease().catch(onLeaseError)
    regularly(checkRestrictionsMs, domain.refused.check)
    regularly(sweepUploadsMs, domain.sweepUploads)
    regularly(options.tasks?.lookMs ?? lookForWorkMs, domain.tasks.tick)
    undo.push(domain.tasks.stop)
    if (kept.sweepExpired) regularly(secondMs, kept.sweepExpired)
    if (domain.push && options.push?.works !== false) undo.push(startPushWorker(domain.push, clock, pushTrouble))
    if (domain.webhookWork)
      undo.push(startWebhookWorker(domain.webhookWork, clock, webhookTrouble, options.webhookLookMs))
    undo.push(transport.drain)
    const { url, port } = await transport.listen()
    logger.info({ url, ...build, ...describe }, 'listening')
    return {
      started: { url, port, config, describe },
      parts: { ports, domain },
      metrics,
      async stop() {
        const beganAtMs = clock.monotonic()
        logger.info('draining')
        await stop()
        logger.info({ durationMs: Math.round(clock.monotonic() - beganAtMs) }, 'stopped')
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Loads OpenTelemetry, which a node without tracing does not need. */
async function openTracing(settings: TracingSettings, clock: Clock): Promise<Tracing> {
  const { createTracing } = await import('./observability/tracing.ts')
  return createTracing(settings, clock, randomUUID())
}

/** Events that are published are not heard. */
const unheard = { isFit: false, reason: 'events' }

const redisReason = (error: unknown): string =>
  error instanceof UnusableRedisError ? 'deployment' : redisFailureReason(error)

function payloadKeyOf(secret: Uint8Array): PayloadKey {
  const { id, key } = derivePayloadKey(secret)
  const mac = hmacBy(key)
  return { id, mac: (text) => mac.bytes(text).toString('base64url') }
}

type OnDelivery = (event: unknown, ids: OperationIds) => void

const combineDeliveryObservers =
  (one: OnDelivery, other: OnDelivery): OnDelivery =>
  (event, ids) => {
    one(event, ids)
    other(event, ids)
  }

/**
 * Node makes an id of twenty pieces of text, which take 480 bytes until somebody reads it as a whole. In one piece it takes 50, and there is one that is
 * kept for each open stream.
 */
const randomId = (): string => Buffer.from(randomUUID(), 'latin1').toString('latin1')
