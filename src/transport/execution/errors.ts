import { GraphQLError, type GraphQLErrorOptions } from 'graphql'
import type { Logger } from 'pino'
import { coercionField } from '../../engine/graphql/coercion.ts'
import type { OperationIds } from '../../observability/operation-ids.ts'
import { ChatError, type ErrorCode, type ErrorDetails, errorTable } from '../../protocol/errors.ts'

/** What a client may know of a failure. It is the same on every transport. */
export type Problem = {
  code: ErrorCode
  message: string
  retryable: boolean
  details: ErrorDetails
  /** The HTTP status for REST. GraphQL uses it only if nothing was executed. */
  status: number
  /** Whether HTTP itself refused the request, before GraphQL was reached: for a bad token, or a malformed request. */
  byHttp: boolean
}

export type ErrorMapper = {
  /** The only mapping. An error that it does not know is a bug of ours: it becomes INTERNAL, and is logged under an id that the client sees. */
  toProblem(error: unknown): Problem
  /** Keeps path and locations, and nothing else of the given error. Mapping an error twice changes nothing. */
  toGraphQLError(error: unknown): GraphQLError
  /** Does what `toGraphQLError` does, for an operation that was not executed: over HTTP the error also has a status. */
  toRequestError(error: unknown): GraphQLError
  isMapped(error: unknown): boolean
  /** Returns an error mapper whose log lines carry these ids. */
  about(ids: OperationIds): ErrorMapper
}

/** A refusal with an HTTP status of its own instead of the one in the error table. */
export class HttpRefusal extends ChatError {
  readonly status: number

  constructor(status: number, message: string) {
    super('BAD_USER_INPUT', message)
    this.status = status
  }
}

type Mapped = WeakMap<object, { graphQLError: GraphQLError; problem: Problem }>

export function createErrorMapper(
  logger: Logger,
  randomId: () => string,
  mapped: Mapped = new WeakMap(),
  ids?: OperationIds,
): ErrorMapper {
  const alreadyMapped = (error: unknown) => (isObject(error) ? mapped.get(error) : undefined)

  function toProblem(error: unknown): Problem {
    const innermost = unwrap(error)
    const expected = alreadyMapped(error)?.problem ?? coercionProblem(error) ?? expectedProblem(innermost)
    if (expected) {
      const level = expected.retryable ? 'warn' : 'debug'
      if (innermost.cause !== undefined)
        logger[level]({ ...ids, code: expected.code, err: innermost.cause }, 'an operation failed')
      return expected
    }
    const errorId = randomId()
    logger.error({ ...ids, errorId, err: innermost }, 'unexpected error')
    return problem('INTERNAL', 'Something went wrong on our side. It was logged under the id this error carries.', {
      errorId,
    })
  }

  function toGraphQLError(error: unknown): GraphQLError {
    const known = alreadyMapped(error)
    if (known) return known.graphQLError
    const problem = toProblem(error)
    const { code, message, retryable, details } = problem
    const graphQLError = new GraphQLError(message, {
      ...locationOf(error),
      extensions: { code, retryable, ...details },
    })
    if (isObject(error) && isObject(error.extensions)) hide(graphQLError, problem, error.extensions.http)
    mapped.set(graphQLError, { graphQLError, problem })
    return graphQLError
  }

  function toRequestError(error: unknown): GraphQLError {
    const graphQLError = toGraphQLError(error)
    const problem = toProblem(graphQLError)
    hide(graphQLError, problem, { status: problem.status })
    return graphQLError
  }

  return {
    toProblem,
    toGraphQLError,
    toRequestError,
    isMapped: (error) => alreadyMapped(error) !== undefined,
    about: (others) => createErrorMapper(logger, randomId, mapped, others),
  }
}

export const restBody = ({ code, message, retryable, details }: Problem) => ({
  error: { code, message, retryable, ...details },
})

/**
 * Yoga reads the HTTP status from here. It is not enumerable, so that no transport can show it. With `spec`, older clients get 200
 * instead, as the specification of GraphQL over HTTP has it for wrong documents and variables.
 */
function hide({ extensions }: GraphQLError, { byHttp }: Problem, http: unknown): void {
  if (!isObject(http) || 'http' in extensions) return
  Object.defineProperty(extensions, 'http', { value: { ...http, spec: !byHttp } })
}

const messageMaxChars = 800

type Fields = Record<string, unknown>

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null

const isErrorCode = (code: unknown): code is ErrorCode => typeof code === 'string' && Object.hasOwn(errorTable, code)

function unwrap(error: unknown): Fields {
  if (!isObject(error)) return { message: String(error) }
  return isObject(error.originalError) ? unwrap(error.originalError) : error
}

function expectedProblem(error: Fields): Problem | undefined {
  const message = String(error.message)
  if (error.name === 'ChatError' && isErrorCode(error.code)) {
    return problem(error.code, message, detailsOf(error.details), error.status)
  }
  // The error is known by its shape: there may be two copies of graphql in a process, and Yoga has its own.
  if (error.name !== 'GraphQLError') return undefined
  const extensions = isObject(error.extensions) ? error.extensions : {}
  if (isErrorCode(extensions.code)) return problem(extensions.code, message, detailsOf(extensions))
  if (message.startsWith('Syntax Error')) return problem('GRAPHQL_PARSE_FAILED', message)
  // After a few mistakes graphql-js goes no further.
  if (message.startsWith('Too many errors processing variables')) return problem('BAD_USER_INPUT', message)
  if (extensions.code === 'OPERATION_RESOLUTION_FAILURE') return problem('GRAPHQL_VALIDATION_FAILED', message)
  return isObject(extensions.http) ? problem('BAD_USER_INPUT', message, {}, extensions.http.status) : undefined
}

/** graphql-js wraps the error about the value into an error about the variable; the outer one tells which field. */
function coercionProblem(error: unknown): Problem | undefined {
  if (!isObject(error) || error.name !== 'GraphQLError') return undefined
  // A validation error may be about a variable too, but then it has a code.
  if (isObject(error.extensions) && isErrorCode(error.extensions.code)) return undefined
  // An error with a path may be a resolver's own, whose message is not for the client.
  if (error.path !== undefined && unwrap(error).name !== 'GraphQLError') return undefined
  const message = String(error.message)
  const field = coercionField(message)
  return field === undefined ? undefined : problem('BAD_USER_INPUT', shorten(message), { field })
}

/** The value in the middle may be as long as a request. */
const shorten = (message: string): string =>
  message.length <= messageMaxChars
    ? message
    : `${message.slice(0, messageMaxChars / 2)} … ${message.slice(-messageMaxChars / 2)}`

function problem(code: ErrorCode, message: string, details: ErrorDetails = {}, ownStatus?: unknown): Problem {
  const { retryable, status } = errorTable[code]
  const hasOwn = typeof ownStatus === 'number'
  const byHttp = hasOwn || code === 'UNAUTHENTICATED'
  return { code, message, retryable, details, status: hasOwn ? ownStatus : status, byHttp }
}

function detailsOf(value: unknown): ErrorDetails {
  if (!isObject(value)) return {}
  const { field, retryAfterMs, errorId } = value
  return {
    ...(typeof field === 'string' && { field }),
    ...(typeof retryAfterMs === 'number' && { retryAfterMs }),
    ...(typeof errorId === 'string' && { errorId }),
  }
}

function locationOf(error: unknown): GraphQLErrorOptions {
  if (!isObject(error) || error.name !== 'GraphQLError') return {}
  const { nodes, source, positions, path } = error as GraphQLErrorOptions
  return { nodes: nodes ?? null, source, positions, path }
}
