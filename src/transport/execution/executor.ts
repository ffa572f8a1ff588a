import {
  createSourceEventStream,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type GraphQLError,
  type GraphQLSchema,
  locatedError,
} from 'graphql'
import { type Answer, answerOf, writeOr } from '../../engine/graphql/answer.ts'
import type { Compiled } from '../../engine/graphql/compiled-operation.ts'
import type { Run } from '../../engine/graphql/compiled-values.ts'
import type { Variables } from '../../engine/graphql/compiled-variables.ts'
import { createSharedAnswers } from '../../engine/graphql/shared-answers.ts'
import type { Metrics } from '../../observability/metrics.ts'
import type { OperationIds } from '../../observability/operation-ids.ts'
import type { Operation, OperationLog } from '../../observability/operation-log.ts'
import type { Tracing } from '../../observability/tracing.ts'
import type { Clock } from '../../ports/clock.ts'
import { ChatError } from '../../protocol/errors.ts'
import type { Viewer } from '../../protocol/viewer.ts'
import { unauthenticated } from '../auth/auth.ts'
import { atExpiry } from '../auth/expiry.ts'
import type { FieldCosts } from '../documents/document-cost.ts'
import { chargeLoads, withOneOverload } from '../documents/load-costs.ts'
import type { Admission } from '../limits/admission.ts'
import { createDeadline } from '../limits/deadline.ts'
import type { Places } from '../limits/places.ts'
import type { ErrorMapper } from './errors.ts'
import { CompiledEventAnswers, type EventParts, PlainEventAnswers } from './event-answers.ts'
import type { EventAnswers, EventStream } from './event-stream.ts'
import type { Operations } from './operations.ts'
import type { Plan, PlanOf } from './plans.ts'
import { makeReplayable, Replay } from './replay.ts'
import { type AnyStream, type Finished, Subscription, type SubscriptionParts } from './subscription.ts'

/** Fresh for each operation. `stream` is the same for all events of one subscription, and undefined for all else. */
export type CreateContext = (viewer: Viewer | undefined, stream?: object, origin?: string, ids?: OperationIds) => object

/** What the transports know of an operation. Resolvers never see it: they get what `createContext` makes of the viewer. */
export type OperationContext = {
  transport: 'http' | 'ws'
  viewer?: Viewer | undefined
  /** This server's address, as the client has it. */
  origin?: string
  /** The client's. */
  address?: string
  /** Ends what the operation has started. */
  signal?: AbortSignal
  /** For the log. */
  ids?: OperationIds
  /** Whose trace it continues. */
  traceparent?: unknown
}

/** An operation that may run: its document is valid, and it can be afforded. */
export type Prepared = {
  plan: Plan
  variables: Readonly<Variables> | null | undefined
  context: OperationContext
}

export type ExecutorOptions = {
  schema: GraphQLSchema
  /** Makes a new one each time: loaders must not outlive the operation, nor the event of a subscription. */
  createContext: CreateContext
  operations: Operations
  errors: ErrorMapper
  log: OperationLog
  metrics: Metrics
  admission: Admission
  places: Places
  clock: Clock
  /** Told of each event of a subscription that is handed to its connection. */
  onDelivery?: (event: unknown, ids: OperationIds) => void
  tracing?: Tracing
  /** What makes a field dearer than the values it shows. */
  fieldCosts?: FieldCosts
  /** Whether errors about variables keep the schema's names to themselves. */
  hideSuggestions?: boolean
}

export type Executor = {
  /** A query or mutation. */
  answer(prepared: Prepared): Answer | Promise<Answer>
  /** A subscription, over a WebSocket. */
  follow(prepared: Prepared): Promise<EventStream<Answer> | Answer>
  /** The same two as Yoga has them. */
  execute(args: ExecutionArgs): Promise<ExecutionResult>
  subscribe(args: ExecutionArgs): Promise<EventStream<ExecutionResult> | ExecutionResult>
  /** Ends all subscriptions; resolves when their sources have let go of everything. */
  endSubscriptions(error: unknown): Promise<void>
}

type AnswersOf<Result> = (prepared: Prepared, source: object) => EventAnswers<Result>

const eventDeadlineMs = 2500
/** Each of them shows the whole value again. */
const coercionErrorsMax = 3
const noIds: OperationIds = {}

export function createExecutor(options: ExecutorOptions & { planOf: PlanOf }): Executor {
  const { schema, createContext, operations, errors, log, metrics, admission, places, clock, tracing, planOf } = options
  const { hideSuggestions = false } = options
  const streams = new Set<AnyStream>()
  const inDeadline = createDeadline(clock, eventDeadlineMs)
  makeReplayable(schema)
  chargeLoads(schema, options.fieldCosts)

  const freshContext = ({ viewer, origin, ids }: OperationContext, stream?: object): object =>
    createContext(viewer, stream, origin, ids)
  const argsOf = ({ plan, variables, context }: Prepared, rootValue?: unknown, stream?: object): ExecutionArgs => ({
    schema,
    document: plan.document,
    operationName: plan.operationName,
    variableValues: variables as Variables,
    rootValue,
    contextValue: freshContext(context, stream),
    hideSuggestions,
    options: { maxCoercionErrors: coercionErrorsMax },
  })
  const problemsOf = (list: readonly GraphQLError[] = []) => list.map(errors.toProblem)
  const errorsOf = ({ ids }: OperationContext) => errors.about(ids ?? noIds)

  function mapErrors(context: OperationContext, result: ExecutionResult): ExecutionResult {
    if (!result.errors) return result
    const { toGraphQLError, toRequestError } = errorsOf(context)
    const map = 'data' in result ? toGraphQLError : toRequestError
    return { ...result, errors: result.errors.map(map) }
  }

  const refused = (context: OperationContext, error: unknown): ExecutionResult => ({
    errors: [errorsOf(context).toRequestError(error)],
  })

  // ---------------------------------------------------------------- queries and mutations

  function answer(prepared: Prepared, how = perform): Answer | Promise<Answer> {
    const { plan, context } = prepared
    const operation = operationOf(plan, context)
    const finished = log(operation)
    const paid = plan.rootFields > 1 ? (each: Prepared) => payThen(each, how) : how
    try {
      const work = tracing ? () => traced(tracing, operation, context, async () => paid(prepared)) : paid
      const given = operations.run(work, prepared)
      if (!(given instanceof Promise)) return finish(given, finished)
      return given.then(
        (each) => finish(each, finished),
        (error) => finish(answerOf(refused(context, error)), finished),
      )
    } catch (error) {
      return finish(answerOf(refused(context, error)), finished)
    }
  }

  /** The first root field was paid for before the document was looked at. */
  function payThen(prepared: Prepared, how: typeof perform): Answer | Promise<Answer> {
    const { plan, context } = prepared
    const admitted = admission.admit(context.viewer, context.address ?? '', plan.rootFields - 1)
    return admitted === undefined ? how(prepared) : admitted.then(() => how(prepared))
  }

  function finish(given: Answer, finished: Finished): Answer {
    finished(given.result && problemsOf(given.result.errors))
    return given
  }

  /** By what was compiled, as far as that goes; what goes wrong is said by graphql-js. */
  function perform(prepared: Prepared): Answer | Promise<Answer> {
    const { plan, context } = prepared
    const compiled = plan.compiled()
    const variables = compiled?.coerce(prepared.variables)
    if (!compiled || !variables) return byGraphQL(prepared)
    const run: Run = { context: freshContext(context), variables, isPersonal: false }
    let value: unknown
    try {
      value = compiled.resolve(undefined, run)
    } catch (error) {
      return rootFailed(compiled, context, error)
    }
    if (!(value instanceof Promise)) return written(prepared, compiled, run, value)
    return value.then(
      (each) => written(prepared, compiled, run, each),
      (error) => rootFailed(compiled, context, error),
    )
  }

  function written(prepared: Prepared, compiled: Compiled, run: Run, value: unknown): Answer | Promise<Answer> {
    return writeOr(compiled, value, run, () => byGraphQL(prepared, new Replay(value)))
  }

  function rootFailed({ nodes, key, isNullable }: Compiled, context: OperationContext, error: unknown): Answer {
    const located = locatedError(error, nodes, [key])
    return answerOf(mapErrors(context, { errors: [located], data: isNullable ? { [key]: null } : null }))
  }

  /** `rootValue`: what was come to already. */
  async function byGraphQL(prepared: Prepared, rootValue?: unknown): Promise<Answer> {
    return answerOf(await resultOf(prepared, rootValue))
  }

  /** Mapped inside: what comes too late for the client is still logged. */
  async function resultOf(prepared: Prepared, rootValue?: unknown): Promise<ExecutionResult> {
    return mapErrors(prepared.context, withOneOverload(await execute(argsOf(prepared, rootValue))))
  }

  async function executeForYoga(args: ExecutionArgs): Promise<ExecutionResult> {
    const { result = {} } = await answer(preparedOf(args), async (prepared) => ({
      json: '',
      result: await resultOf(prepared),
    }))
    return result
  }

  function preparedOf({ document, operationName, variableValues, contextValue }: ExecutionArgs): Prepared {
    const plan = planOf(document, operationName)
    if (!plan) throw new ChatError('GRAPHQL_VALIDATION_FAILED', 'There is no such operation.')
    return { plan, variables: variableValues, context: contextValue as OperationContext }
  }

  // ---------------------------------------------------------------- subscriptions

  const eventParts: EventParts = {
    shared: createSharedAnswers(),
    inDeadline: (given, { context }) =>
      inDeadline(given).catch((error) => answerOf({ errors: [errorsOf(context).toGraphQLError(error)] })),
    contextFor: ({ context }, source) => freshContext(context, source),
    async byGraphQL(prepared, event, source) {
      try {
        return withOneOverload(await inDeadline(Promise.resolve(execute(argsOf(prepared, event, source)))))
      } catch (error) {
        return { errors: [errorsOf(prepared.context).toGraphQLError(error)] }
      }
    },
  }

  async function start<Result>(
    prepared: Prepared,
    transport: 'ws' | 'sse',
    answersOf: AnswersOf<Result>,
  ): Promise<EventStream<Result> | ExecutionResult> {
    const { plan, context } = prepared
    const operation: Operation = { ...operationOf(plan, context), transport }
    const finished = log(operation)
    const work = () => open(prepared, transport, finished, answersOf)
    let opened: EventStream<Result> | ExecutionResult
    try {
      opened = await operations.start(tracing ? () => traced(tracing, operation, context, work) : work, undefined)
    } catch (error) {
      opened = refused(context, error)
    }
    if (Symbol.asyncIterator in opened) return opened
    const result = mapErrors(context, opened)
    finished(problemsOf(result.errors))
    return result
  }

  async function open<Result>(
    prepared: Prepared,
    transport: 'ws' | 'sse',
    finished: Finished,
    answersOf: AnswersOf<Result>,
  ) {
    const { context } = prepared
    const leave = seatOf(context, transport)
    const source = await createSourceEventStream(argsOf(prepared)).catch((error) => {
      leave()
      throw error
    })
    if (!(Symbol.asyncIterator in source)) {
      leave()
      return source
    }
    const answers = answersOf(prepared, source)
    const { stream } = new Subscription<Result>({ parts, source, answers, context, transport, finished, leave })
    streams.add(stream)
    metrics.subscriptions.inc({ transport })
    watch(stream, context)
    return stream
  }

  const parts: SubscriptionParts = {
    clock,
    errorsOf,
    onDelivery: options.onDelivery,
    ended({ stream, transport, finished, leave }, error) {
      streams.delete(stream)
      leave?.()
      metrics.subscriptions.dec({ transport })
      finished(error === undefined ? [] : [errors.toProblem(error)])
    },
  }

  const compiledAnswers: AnswersOf<Answer> = (prepared, source) =>
    new CompiledEventAnswers(eventParts, prepared, source)
  const plainAnswers: AnswersOf<ExecutionResult> = (prepared, source) =>
    new PlainEventAnswers(eventParts, prepared, source)

  async function follow(prepared: Prepared): Promise<EventStream<Answer> | Answer> {
    const opened = await start(prepared, 'ws', compiledAnswers)
    return Symbol.asyncIterator in opened ? opened : answerOf(opened)
  }

  function seatOf({ viewer, address = '' }: OperationContext, transport: 'ws' | 'sse'): () => void {
    if (!viewer) return () => undefined
    const end = places.subscription(viewer.userId, address)
    if (!end) throw tooMany('subscriptions')
    // A WebSocket has its seat for all it carries.
    if (transport === 'ws') return end
    const leave = places.seat(viewer.userId, address, 'streams_per_user')
    if (leave) {
      return () => {
        leave()
        end()
      }
    }
    end()
    throw tooMany('streams and sockets')
  }

  const traced = <T extends object>(
    by: Tracing,
    operation: Operation,
    { traceparent }: OperationContext,
    work: () => Promise<T>,
  ): Promise<T> => by.operation(operation, traceparent, work, (outcome) => problemsOf(errorsIn(outcome))[0]?.code)

  /** A WebSocket watches over its own subscriptions; an HTTP exchange has nobody else to do so. */
  function watch(stream: AnyStream, { transport, viewer, signal }: OperationContext): void {
    if (transport !== 'http') return
    const end = () => void stream.return()
    if (signal?.aborted) end()
    else signal?.addEventListener('abort', end, { once: true, signal: stream.over })
    const expired = () => void stream.fail(unauthenticated('The token has expired.'))
    if (viewer) void atExpiry(clock, viewer.expiresAtMs, stream.over, expired)
  }

  return {
    answer: (prepared) => answer(prepared),
    follow,
    execute: executeForYoga,
    subscribe: (args) => start(preparedOf(args), 'sse', plainAnswers),
    endSubscriptions: async (error) => {
      await Promise.all([...streams].map((stream) => stream.fail(error)))
    },
  }
}

const tooMany = (what: string) =>
  new ChatError('RATE_LIMITED', `This user has too many ${what} open.`, { retryAfterMs: 5000 })

function operationOf({ name, type }: Plan, { transport, viewer, ids }: OperationContext): Operation {
  if (ids && viewer) ids.userId = viewer.userId
  return { name, type, transport, ids }
}

/** Of an outcome of any kind. */
function errorsIn(outcome: object): readonly GraphQLError[] | undefined {
  const { result, errors } = outcome as Partial<Answer> & ExecutionResult
  return result?.errors ?? errors
}
