/** The codes that errors of the API carry. */
export const errorCodes = [
  'UNAUTHENTICATED',
  'NOT_FOUND',
  'FORBIDDEN',
  'BAD_USER_INPUT',
  'INVALID_CURSOR',
  'SEQ_OUT_OF_RANGE',
  'IDEMPOTENCY_CONFLICT',
  'RATE_LIMITED',
  'QUERY_TOO_COMPLEX',
  'UNAVAILABLE',
  'INTERNAL',
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
] as const

export type ErrorCode = (typeof errorCodes)[number]
