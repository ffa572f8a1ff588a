// GraphQL over HTTP as Yoga speaks it: content negotiation, GET, server-sent events, and the messages for malformed requests.
// What it executes takes the same way as everything else.

import type { ExecutionArgs, ExecutionResult, GraphQLSchema } from 'graphql'
import type { Plugin, YogaServerInstance } from 'graphql-yoga'
import type { Answer } from '../../engine/graphql/answer.ts'
import type { OperationLog } from '../../observability/operation-log.ts'
import { type RequestParams, readParams } from '../documents/request-params.ts'
import { type ErrorMapper, HttpRefusal } from '../execution/errors.ts'
import type { EventStream } from '../execution/event-stream.ts'
import type { GraphQL } from '../execution/graphql.ts'
import type { OperationContext, Prepared, Refusal } from '../execution/prepared.ts'
import type { Admit, Admitted } from './admit.ts'

export type YogaOptions = {
  /** Where it is served. */
  path: string
  schema: GraphQLSchema
  graphql: GraphQL
  admit: Admit
  errors: ErrorMapper
  log: OperationLog
}

export type Yoga = {
  /** The signal in the context aborts what the request has started. */
  fetch(
    url: string,
    request: { method: string; headers: Record<string, string>; body?: string },
    context: OperationContext & Admitted & { signal: AbortSignal },
  ): Promise<Response>
}

type YogaContext = OperationContext & Admitted

/**
 * Yoga is loaded with the first request that needs it. With what it imports it is half of the modules of a node, and clients that post JSON or
 * use WebSockets never need it.
 */
export function createYogaServer(options: YogaOptions): Yoga {
  let loaded: Promise<YogaServerInstance<YogaContext, object>> | undefined

  return {
    async fetch(url, request, context) {
      loaded ??= loadYoga(options)
      const yoga = await loaded
      return yoga.fetch(url, { ...request, signal: context.signal }, context)
    },
  }
}

async function loadYoga(options: YogaOptions): Promise<YogaServerInstance<YogaContext, object>> {
  const { createYoga } = await import('graphql-yoga')
  return createYoga<YogaContext>({
    schema: options.schema,
    graphqlEndpoint: options.path,
    plugins: [useAdmission(options.admit), useOneWay(options.graphql), useMappedErrors(options)],
    // `documents` already caches them.
    parserAndValidationCache: false,
    // The HTTP server checks sizes and origins and serves pages; errors are mapped here.
    maxRequestBodySize: false,
    multipart: false,
    batching: false,
    cors: false,
    graphiql: false,
    landingPage: false,
    maskedErrors: false,
    logging: false,
  })
}

const useAdmission = (admit: Admit): Plugin<object, YogaContext> => ({
  async onParams({ request, context }) {
    const viewer = await (context.admitted ?? admit(request.headers.get('authorization'), context.address ?? ''))
    Object.assign(context, { viewer })
  },
})

/**
 * Makes Yoga prepare and execute as the other transports do. Yoga parses and validates first, because its errors about methods come between
 * the two; `prepare` then finds the document known.
 */
function useOneWay({ documents, persisted, prepare, execute, subscribe }: GraphQL): Plugin<YogaContext> {
  function preparedOf({ document, operationName, variableValues, contextValue }: ExecutionArgs): Prepared | Refusal {
    const params = { query: document.loc?.source.body, operationName, variables: variableValues }
    return prepare(params, contextValue as OperationContext)
  }

  return {
    onParams({ params, request, setParams }) {
      if (!isObject(params)) return
      const given: RequestParams = { ...params }
      if (request.method === 'GET') given.documentId = new URL(request.url).searchParams.get('documentId')
      const { documentId: _named, ...rest } = given
      setParams({ ...rest, ...readParams(given, persisted) } as typeof params)
    },
    onParse({ setParseFn }) {
      setParseFn((source) => documents.parse(typeof source === 'string' ? source : source.body))
    },
    onValidate({ setValidationFn }) {
      setValidationFn((_schema, document) => documents.validate(document))
    },
    onExecute({ setExecuteFn }) {
      setExecuteFn(async (args: ExecutionArgs) => {
        const prepared = preparedOf(args)
        return 'errors' in prepared ? prepared : resultOf(await execute(prepared))
      })
    },
    onSubscribe({ setSubscribeFn }) {
      setSubscribeFn(async (args: ExecutionArgs) => {
        const prepared = preparedOf(args)
        if ('errors' in prepared) return prepared
        const opened = await subscribe(prepared, 'sse')
        return 'json' in opened ? resultOf(opened) : resultsOf(opened)
      })
    },
  }
}

function useMappedErrors({ errors, log }: Pick<YogaOptions, 'errors' | 'log'>): Plugin<YogaContext> {
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
    onResultProcess({ result, setResult, serverContext }) {
      if (Array.isArray(result) || Symbol.asyncIterator in result || !result.errors || 'data' in result) return
      // Errors that are mapped already were written to the log where they were mapped.
      const isLogged = result.errors.every(errors.isMapped)
      const { ids } = serverContext as Partial<OperationContext>
      const mapped = result.errors.map(errors.about(ids ?? {}).toRequestError)
      if (!isLogged) log({ name: undefined, type: 'unknown', transport: 'http', ids })(mapped.map(errors.toProblem))
      setResult({ ...result, errors: mapped })
    },
  }
}

/** Yoga lets a result say how it is written. Ours is already written, except for errors, of which Yoga omits what is not for clients. */
const resultOf = ({ json, result }: Answer): ExecutionResult => result ?? ({ stringify: () => json } as ExecutionResult)

/** Does for each event what `resultOf` does for one answer. */
function resultsOf(stream: EventStream): AsyncIterableIterator<ExecutionResult, undefined> {
  return {
    async next() {
      const step = await stream.next()
      return step.done ? step : { done: false, value: resultOf(step.value) }
    },
    return: () => stream.return(),
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
