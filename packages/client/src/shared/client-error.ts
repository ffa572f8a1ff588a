import type { ErrorCode } from '../../protocol/errors.ts'

/** `NETWORK`: nobody answered, or nobody who speaks GraphQL. */
export type ClientErrorCode = ErrorCode | 'NETWORK'

/** What went wrong, as the server said it; or that it could not be asked. */
export class ClientError extends Error {
  declare readonly code: ClientErrorCode
  /** Whether the same may be tried again as it is. */
  declare readonly retryable: boolean
  declare readonly field: string | undefined
  declare readonly retryAfterMs: number | undefined

  constructor(message: string, details: Details, options?: { cause?: unknown }) {
    super(message, options)
    Object.assign(this, { name: 'ClientError', ...details })
  }
}

type Details = {
  code: ClientErrorCode
  retryable: boolean
  field?: string | undefined
  retryAfterMs?: number | undefined
}

export const networkError = (message: string, cause?: unknown): ClientError =>
  new ClientError(message, { code: 'NETWORK', retryable: true }, { cause })

/** From the `errors` of a GraphQL answer. What carries no code of ours comes from something in between, and may pass. */
export function errorFromGraphQL(error: unknown): ClientError {
  const { message = 'Unknown error', extensions = {} } = (error ?? {}) as GraphQLErrorShape
  const { code, retryable, field, retryAfterMs } = extensions
  if (code === undefined) return networkError(message)
  return new ClientError(message, { code, retryable: retryable === true, field, retryAfterMs })
}

type GraphQLErrorShape = { message?: string; extensions?: Partial<Details> }

export const asClientError = (error: unknown): ClientError =>
  error instanceof ClientError ? error : networkError(error instanceof Error ? error.message : String(error), error)
