// The one pipeline of every GraphQL operation, whether it came by HTTP, SSE or WebSocket.

import { type ExecutionArgs, type GraphQLError, NoSchemaIntrospectionCustomRule, validate } from 'graphql'
import { createYoga, type Plugin } from 'graphql-yoga'
import type { PersistedSettings } from '../../config/config.ts'
import type { Answer } from '../../engine/graphql/answer.ts'
import type { OperationIds } from '../../observability/operation-ids.ts'
import { ChatError } from '../../protocol/errors.ts'
import type { Viewer } from '../../protocol/viewer.ts'
import type { Authenticate } from '../auth/auth.ts'
import { createDocumentCache, type DocumentCache } from '../documents/document-cache.ts'
import { type CheckCost, createCheckCost } from '../documents/document-cost.ts'
import { parseGuarded, tooComplex } from '../documents/document-guard.ts'
import { createKnownOperations } from '../documents/known-operations.ts'
import { createPersistedOperations, type PersistedOperations } from '../documents/persisted-operations.ts'
import { type RequestParams, readParams } from '../documents/request-params.ts'
import { HttpRefusal } from './errors.ts'
import {
  createExecutor,
  type Executor,
  type ExecutorOptions,
  type OperationContext,
  type Prepared,
} from './executor.ts'
import { createPlans } from './plans.ts'
import { unconditionalSubscriptionRule } from './subscription-root.ts'
import { type Admitted, createAdmit, useAdmission } from './use-admission.ts'

type GraphQLOptions = ExecutorOptions & {
  authenticate: Authenticate
  config: { introspection: boolean; persistedOperations?: PersistedSettings }
}

export type GraphQL = Executor & {
  /** For HTTP. The signal ends what the request has started. */
  fetch(
    url: string,
    request: { method: string; headers: Record<string, string>; body?: string },
    signal: AbortSignal,
    about: HttpRequest & Admitted,
  ): Promise<Response>
  /**
   * For HTTP, before `fetch`: answers what is known. Where that is not all, there is no answer, and `fetch` goes on with who was
   * admitted.
   */
  begin(params: object, authorization: unknown, about: HttpRequest): Promise<Admitted & { answer?: Answer }>
  /** For WebSockets: everything before the execution. */
  prepare(request: WebSocketRequest): Prepared | GraphQLError[]
}

export type HttpRequest = {
  requestId: string
  traceparent?: unknown
  /** The client's. */
  address: string
  /** This server's, as the client has it. */
  origin: string
}

export type WebSocketRequest = {
  query: string
  documentId?: unknown
  operationName?: string | null | undefined
  variables?: Record<string, unknown> | null | undefined
  extensions?: Record<string, unknown> | null | undefined
  viewer: Viewer | undefined
  origin: string
  /** The client's. */
  address: string
  ids: OperationIds
  traceparent?: unknown
}

export function createGraphQL(options: GraphQLOptions): GraphQL {
  const { schema, errors, log, config } = options
  const hideSuggestions = !config.introspection
  const planOf = createPlans(schema)
  const executor = createExecutor({ ...options, hideSuggestions, planOf })
  const persisted = createPersistedOperations(schema, config.persistedOperations)
  const checkCost = createCheckCost(schema, options.fieldCosts)
  const cache = createDocumentCache()
  const admit = createAdmit(options.authenticate, options.admission)
  const knownOperation = createKnownOperations({ planOf, cache, persisted, checkCost })
  const yoga = createYoga<OperationContext & Admitted>({
    schema,
    plugins: [useAdmission(admit), usePipeline(options, { executor, persisted, checkCost }), useOnlyValid(cache)],
    parserAndValidationCache: { documentCache: cache.documents, errorCache: cache.errors },
    // Sizes, origins and pages are the HTTP server's; errors are mapped here.
    maxRequestBodySize: false,
    multipart: false,
    batching: false,
    cors: false,
    graphiql: false,
    landingPage: false,
    maskedErrors: false,
    logging: false,
  })

  /** Parses and validates as HTTP does. */
  const enveloped = yoga.getEnveloped({})

  function refuse({ operationName, ids }: WebSocketRequest, list: readonly unknown[]): GraphQLError[] {
    const refused = list.map(errors.about(ids).toRequestError)
    log({ name: operationName ?? undefined, type: 'unknown', transport: 'ws', ids })(refused.map(errors.toProblem))
    return refused
  }

  function prepare(request: WebSocketRequest): Prepared | GraphQLError[] {
    const { operationName, variables, viewer, origin, address, ids, traceparent } = request
    try {
      const { query } = readParams(request, persisted)
      const known = typeof query === 'string' ? cache.validOf(query) : undefined
      const document = known ?? enveloped.parse(query)
      const invalid: readonly GraphQLError[] = known ? [] : enveloped.validate(schema, document)
      if (invalid.length > 0) return refuse(request, invalid)
      const plan = planOf(document, operationName)
      if (!plan) return refuse(request, [unknownOperation()])
      checkCost({ document, operationName, variableValues: variables })
      return { plan, variables, context: { transport: 'ws', viewer, origin, address, ids, traceparent } }
    } catch (error) {
      return refuse(request, [error])
    }
  }

  const contextOf = ({ requestId, traceparent, address, origin }: HttpRequest): OperationContext => ({
    transport: 'http',
    viewer: undefined,
    origin,
    address,
    ids: { requestId },
    traceparent,
  })

  return {
    fetch: async (url, request, signal, about) =>
      yoga.fetch(url, { ...request, signal }, { ...contextOf(about), signal, admitted: about.admitted }),
    async begin(params, authorization, about) {
      const admitted = admit(authorization, about.address)
      const context = contextOf(about)
      try {
        context.viewer = await admitted
      } catch {
        return { admitted }
      }
      const prepared = knownOperation(params, context)
      return prepared ? { answer: await executor.answer(prepared) } : { admitted }
    },
    prepare,
    ...executor,
  }
}

const unknownOperation = () =>
  new ChatError('GRAPHQL_VALIDATION_FAILED', 'Expected operationName to be the name of one of the operations.')

type Parts = { executor: Executor; persisted: PersistedOperations; checkCost: CheckCost }

function usePipeline(options: GraphQLOptions, { executor, persisted, checkCost }: Parts): Plugin<OperationContext> {
  const { errors, log, config } = options
  const validateGuarded = createValidate(!config.introspection)
  /** A WebSocket has asked before, in `prepare`: there a refusal is an `error` and no result. */
  const affordable =
    <T>(run: (args: ExecutionArgs) => Promise<T>) =>
    async (args: ExecutionArgs): Promise<T> => {
      if ((args.contextValue as OperationContext).transport === 'http') checkCost(args)
      return run(args)
    }
  return {
    onRequestParse({ requestParser, setRequestParser }) {
      if (!requestParser) return
      setRequestParser(async (request) => {
        try {
          return await requestParser(request)
        } catch (error) {
          // By GET, Yoga lets the errors of JSON.parse through.
          throw error instanceof SyntaxError ? new HttpRefusal(400, 'Expected well-formed JSON.') : error
        }
      })
    },
    onParams({ params, request, setParams }) {
      if (!isObject(params)) return
      const given: RequestParams = { ...params }
      if (request.method === 'GET') given.documentId = new URL(request.url).searchParams.get('documentId')
      const { documentId: _named, ...rest } = given
      setParams({ ...rest, ...readParams(given, persisted) } as typeof params)
    },
    onParse({ setParseFn }) {
      setParseFn(parseGuarded)
    },
    onValidate({ setValidationFn, addValidationRule }) {
      setValidationFn(validateGuarded)
      if (!config.introspection) addValidationRule(NoSchemaIntrospectionCustomRule)
    },
    onExecute({ setExecuteFn }) {
      setExecuteFn(affordable(executor.execute))
    },
    onSubscribe({ setSubscribeFn }) {
      setSubscribeFn(affordable(executor.subscribe))
    },
    onResultProcess({ result, setResult, serverContext }) {
      if (Array.isArray(result) || Symbol.asyncIterator in result || !result.errors || 'data' in result) return
      const executed = result.errors.every(errors.isMapped)
      const { ids } = serverContext as Partial<OperationContext>
      const mapped = result.errors.map(errors.about(ids ?? {}).toRequestError)
      if (!executed) log({ name: undefined, type: 'unknown', transport: 'http', ids })(mapped.map(errors.toProblem))
      setResult({ ...result, errors: mapped })
    },
  }
}

const useOnlyValid = (cache: DocumentCache): Plugin => ({
  onValidate({ params: { documentAST }, addValidationRule }) {
    addValidationRule(unconditionalSubscriptionRule)
    return ({ valid }) => {
      if (valid) cache.passed(documentAST)
      else cache.forget(documentAST)
    }
  },
})

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const validationErrorsMax = 5

const createValidate =
  (hideSuggestions: boolean): typeof validate =>
  (schema, document, rules) => {
    try {
      return validate(schema, document, rules, { maxErrors: validationErrorsMax, hideSuggestions })
    } catch (error) {
      throw error instanceof RangeError ? tooComplex('The document is too complex to be validated.') : error
    }
  }
