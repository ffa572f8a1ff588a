import {
  createSourceEventStream,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type GraphQLError,
  getOperationAST,
} from 'graphql'
import type { Clock } from '../domain/ports.ts'
import { ChatError } from '../protocol/errors.ts'
import type { Viewer } from '../protocol/viewer.ts'
import { unauthenticated } from './auth.ts'
import type { ErrorMapper } from './errors.ts'
import { createEventStream, type EventStream } from './event-stream.ts'
import { atExpiry } from './expiry.ts'
import type { Metrics } from './metrics.ts'
import type { OperationIds } from './operation-ids.ts'
import type { Operation, OperationLog } from './operation-log.ts'
import { type Operations, within } from './operations.ts'
import type { Places } from './places.ts'
import type { Tracing } from './tracing.ts'

/** Fresh for each operation. `stream` is the same for all events of one subscription, and undefined for all else. */
export type CreateContext = (viewer: Viewer | undefined, stream?: object, origin?: string, ids?: OperationIds) => object

/** What the transports know of an operation. Resolvers never see it: they get what `createContext` makes of the viewer. */
export type OperationContext = {
  transport: 'http' | 'ws'
  viewer?: Viewer | undefined
  /** This server's address, as the client has it. */
  origin?: string
  /** The client's; undefined where it was admitted already. */
  address?: string
  /** Ends what the operation has started. */
  signal?: AbortSignal
  /** For the log. */
  ids?: OperationIds
  /** Whose trace it continues. */
  traceparent?: unknown
}

export type ExecutorOptions = {
  /** Makes a new one each time: loaders must not outlive the operation, nor the event of a subscription. */
  createContext: CreateContext
  operations: Operations
  errors: ErrorMapper
  log: OperationLog
  metrics: Metrics
  places: Places
  clock: Clock
  /** Told of each event of a subscription that is handed to its connection. */
  onDelivery?: (event: unknown, ids: OperationIds) => void
  tracing?: Tracing
  /** Whether errors about variables keep the schema's names to themselves. */
  hideSuggestions?: boolean
}

export type Executor = {
  execute(args: ExecutionArgs): Promise<ExecutionResult>
  subscribe(args: ExecutionArgs): Promise<EventStream | ExecutionResult>
  /** Ends all subscriptions; resolves when their sources have let go of everything. */
  endSubscriptions(error: unknown): Promise<void>
}

const eventDeadlineMs = 2500
/** Each of them shows the whole value again. */
const coercionErrorsMax = 3

export function createExecutor(options: ExecutorOptions): Executor {
  const { createContext, operations, errors, log, metrics, places, clock, tracing, hideSuggestions = false } = options
  const streams = new Set<EventStream>()

  const contextOf = (args: ExecutionArgs) => args.contextValue as OperationContext
  const withFreshContext = (args: ExecutionArgs, stream?: object): ExecutionArgs => ({
    ...args,
    hideSuggestions,
    options: { maxCoercionErrors: coercionErrorsMax },
    contextValue: createContext(contextOf(args).viewer, stream, contextOf(args).origin, contextOf(args).ids),
  })
  const problemsOf = (list: readonly GraphQLError[] = []) => list.map(errors.toProblem)

  const errorsOf = (args: ExecutionArgs) => errors.about(contextOf(args).ids ?? {})

  function mapErrors(args: ExecutionArgs, result: ExecutionResult): ExecutionResult {
    if (!result.errors) return result
    const { toGraphQLError, toRequestError } = errorsOf(args)
    const map = 'data' in result ? toGraphQLError : toRequestError
    return { ...result, errors: result.errors.map(map) }
  }

  async function run(args: ExecutionArgs): Promise<ExecutionResult> {
    const operation = operationOf(args, contextOf(args))
    const finished = log(operation)
    // Mapped inside: what comes too late for the client is still logged.
    const work = async () => mapErrors(args, await execute(withFreshContext(args)))
    const result = await operations
      .run(tracing ? () => traced(tracing, operation, args, work) : work)
      .catch(refused(args))
    finished(problemsOf(result.errors))
    return result
  }

  const refused =
    (args: ExecutionArgs) =>
    (error: unknown): ExecutionResult => ({ errors: [errorsOf(args).toRequestError(error)] })

  async function subscribe(args: ExecutionArgs): Promise<EventStream | ExecutionResult> {
    const transport = contextOf(args).transport === 'ws' ? 'ws' : 'sse'
    const operation = { ...operationOf(args, contextOf(args)), transport } as const
    const finished = log(operation)
    const work = () => open(args, transport, finished)
    const opened = await operations
      .start(tracing ? () => traced(tracing, operation, args, work) : work)
      .catch(refused(args))
    if (Symbol.asyncIterator in opened) return opened
    const result = mapErrors(args, opened)
    finished(problemsOf(result.errors))
    return result
  }

  async function open(args: ExecutionArgs, transport: 'ws' | 'sse', finished: ReturnType<OperationLog>) {
    // A WebSocket has its seat for all it carries.
    const leave = transport === 'sse' ? seatOf(contextOf(args)) : () => undefined
    const source = await createSourceEventStream(withFreshContext(args))
    if (!(Symbol.asyncIterator in source)) {
      leave()
      return source
    }
    const stream = createEventStream({
      source,
      resolve: (rootValue) => resolveEvent({ ...withFreshContext(args, source), rootValue }, contextOf(args).ids),
      errors: () => errorsOf(args),
      onEvent: (event) => options.onDelivery?.(event, contextOf(args).ids ?? {}),
      clock,
      onEnd(error) {
        streams.delete(stream)
        leave()
        metrics.subscriptions.dec({ transport })
        finished(error === undefined ? [] : [errors.toProblem(error)])
      },
    })
    streams.add(stream)
    metrics.subscriptions.inc({ transport })
    watch(stream, contextOf(args))
    return stream
  }

  function seatOf({ viewer, address = '' }: OperationContext): () => void {
    const leave = viewer ? places.seat(viewer.userId, address, 'streams_per_user') : () => undefined
    if (leave) return leave
    throw new ChatError('RATE_LIMITED', 'This user has too many streams and sockets open.', { retryAfterMs: 5000 })
  }

  async function resolveEvent(args: ExecutionArgs, ids: OperationIds | undefined): Promise<ExecutionResult> {
    try {
      return await within(clock, eventDeadlineMs, Promise.resolve(execute(args)))
    } catch (error) {
      return { errors: [errors.about(ids ?? {}).toGraphQLError(error)] }
    }
  }

  const traced = <T extends object>(
    by: Tracing,
    operation: Operation,
    args: ExecutionArgs,
    work: () => Promise<T>,
  ): Promise<T> =>
    by.operation(operation, contextOf(args).traceparent, work, (outcome) =>
      'errors' in outcome ? problemsOf((outcome as ExecutionResult).errors)[0]?.code : undefined,
    )

  /** A WebSocket watches over its own subscriptions; an HTTP exchange has nobody else to do so. */
  function watch(stream: EventStream, { transport, viewer, signal }: OperationContext): void {
    if (transport !== 'http') return
    const end = () => void stream.return()
    if (signal?.aborted) end()
    else signal?.addEventListener('abort', end, { once: true, signal: stream.over })
    const expired = () => void stream.fail(unauthenticated('The token has expired.'))
    if (viewer) void atExpiry(clock, viewer.expiresAtMs, stream.over, expired)
  }

  return {
    execute: run,
    subscribe,
    endSubscriptions: async (error) => {
      await Promise.all([...streams].map((stream) => stream.fail(error)))
    },
  }
}

function operationOf(
  { document, operationName }: ExecutionArgs,
  { transport, viewer, ids }: OperationContext,
): Operation {
  const operation = getOperationAST(document, operationName)
  if (ids && viewer) ids.userId = viewer.userId
  return { name: operation?.name?.value, type: operation?.operation ?? 'unknown', transport, ids }
}
