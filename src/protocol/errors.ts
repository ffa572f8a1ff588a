// The table of errors in docs/api.md, as data. Transports map it; no other code decides what is retryable.

export const errorTable = {
  UNAUTHENTICATED: { retryable: false, status: 401 },
  NOT_FOUND: { retryable: false, status: 404 },
  FORBIDDEN: { retryable: false, status: 403 },
  BAD_USER_INPUT: { retryable: false, status: 400 },
  INVALID_CURSOR: { retryable: false, status: 400 },
  SEQ_OUT_OF_RANGE: { retryable: false, status: 400 },
  IDEMPOTENCY_CONFLICT: { retryable: false, status: 409 },
  RATE_LIMITED: { retryable: true, status: 429 },
  QUERY_TOO_COMPLEX: { retryable: false, status: 400 },
  UNAVAILABLE: { retryable: true, status: 503 },
  INTERNAL: { retryable: true, status: 500 },
  GRAPHQL_PARSE_FAILED: { retryable: false, status: 400 },
  GRAPHQL_VALIDATION_FAILED: { retryable: false, status: 400 },
} as const

export type ErrorCode = keyof typeof errorTable

/** What an error may say beside its code; the client sees it. */
export type ErrorDetails = { field?: string; retryAfterMs?: number; errorId?: string }

/** An expected failure. Its message is meant for the client; its cause is not and only goes to the log. */
export class ChatError extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetails

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'ChatError'
    this.code = code
    this.details = details
  }
}

export const badInput = (field: string, message: string): ChatError =>
  new ChatError('BAD_USER_INPUT', message, { field })

/** The message is the same whether the thing does not exist or the viewer may not see it. */
export const notFound = (field?: string): ChatError =>
  new ChatError('NOT_FOUND', 'There is no such conversation for this user.', field === undefined ? {} : { field })

export const unavailable = (cause?: unknown): ChatError =>
  new ChatError(
    'UNAVAILABLE',
    'The service cannot answer right now. Nothing was acknowledged; try again.',
    {},
    { cause },
  )
