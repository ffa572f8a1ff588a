// The one pipeline of every GraphQL operation, whether it came by HTTP, SSE or WebSocket.

import {
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  validate,
} from 'graphql'
import { createYoga, type Plugin } from 'graphql-yoga'
import { ChatError } from '../protocol/errors.ts'
import type { Viewer } from '../protocol/viewer.ts'
import type { Authenticate } from './auth.ts'
import { createDocumentCache, parseGuarded, tooComplex } from './document-guard.ts'
import { HttpRefusal } from './errors.ts'
import { createExecutor, type Executor, type ExecutorOptions, type OperationContext } from './executor.ts'
import type { OperationIds } from './operation-ids.ts'

export type GraphQLOptions = ExecutorOptions & { schema: GraphQLSchema; authenticate: Authenticate }

export type GraphQL = Executor & {
  /** For HTTP. The signal ends what the request has started. */
  fetch(
    url: string,
    request: { method: string; headers: Record<string, string>; body?: string },
    signal: AbortSignal,
    about: { requestId: string; traceparent?: unknown },
  ): Promise<Response>
  /** For WebSockets: everything before the execution. */
  prepare(request: WebSocketRequest): Promise<ExecutionArgs | GraphQLError[]>
}

export type WebSocketRequest = {
  query: string
  operationName?: string | null | undefined
  variables?: Record<string, unknown> | null | undefined
  viewer: Viewer | undefined
  origin: string
  ids: OperationIds
  traceparent?: unknown
}

export function createGraphQL(options: GraphQLOptions): GraphQL {
  const { schema, errors, log } = options
  const executor = createExecutor(options)
  const yoga = createYoga<OperationContext>({
    schema,
    plugins: [usePipeline(options, executor)],
    parserAndValidationCache: { documentCache: createDocumentCache(), errorCache: createDocumentCache() },
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

  async function prepare({ query, operationName, variables, viewer, origin, ids, traceparent }: WebSocketRequest) {
    const refuse = (list: readonly unknown[]) => {
      const refused = list.map(errors.about(ids).toRequestError)
      log({ name: operationName ?? undefined, type: 'unknown', transport: 'ws', ids })(refused.map(errors.toProblem))
      return refused
    }
    try {
      const context: OperationContext = { transport: 'ws', viewer, origin, ids, traceparent }
      const enveloped = yoga.getEnveloped(context)
      const document = enveloped.parse(query)
      const invalid: readonly GraphQLError[] = enveloped.validate(enveloped.schema, document)
      if (invalid.length > 0) return refuse(invalid)
      if (!getOperationAST(document, operationName)) return refuse([unknownOperation()])
      const contextValue = await enveloped.contextFactory()
      return { schema, document, contextValue, operationName, variableValues: variables }
    } catch (error) {
      return refuse([error])
    }
  }

  const enveloped = yoga.getEnveloped({})
  return {
    fetch: async (url, request, signal, { requestId, traceparent }) =>
      yoga.fetch(
        url,
        { ...request, signal },
        { transport: 'http', signal, origin: new URL(url).origin, ids: { requestId }, traceparent },
      ),
    prepare,
    execute: async (args): Promise<ExecutionResult> => enveloped.execute(args),
    subscribe: async (args) => enveloped.subscribe(args),
    endSubscriptions: executor.endSubscriptions,
  }
}

const unknownOperation = () =>
  new ChatError('GRAPHQL_VALIDATION_FAILED', 'Expected operationName to be the name of one of the operations.')

function usePipeline({ authenticate, errors, log }: GraphQLOptions, executor: Executor): Plugin<OperationContext> {
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
    onParse({ setParseFn }) {
      setParseFn(parseGuarded)
    },
    onValidate({ setValidationFn }) {
      setValidationFn(validateGuarded)
    },
    async onContextBuilding({ context, extendContext }) {
      // A WebSocket brings its viewer along.
      if (context.request) extendContext({ viewer: await authenticate(context.request.headers.get('authorization')) })
    },
    onExecute({ setExecuteFn }) {
      setExecuteFn(executor.execute)
    },
    onSubscribe({ setSubscribeFn }) {
      setSubscribeFn(executor.subscribe)
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

const validateGuarded: typeof validate = (...args) => {
  try {
    return validate(...args)
  } catch (error) {
    throw error instanceof RangeError ? tooComplex('The document is too complex to be validated.') : error
  }
}
