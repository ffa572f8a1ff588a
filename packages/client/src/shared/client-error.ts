import type { ErrorCode } from '../protocol/error-code.ts'

/** `NETWORK` means that no answer came, or one that is not GraphQL. */
export type ClientErrorCode = ErrorCode | 'NETWORK'

/** An error as the server reported it, or the failure to reach the server. */
export class ClientError extends Error {
  declare readonly code: ClientErrorCode
  /** Says whether the same request may be tried again. */
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

/** Converts an error of a GraphQL answer. An error without a code comes from a proxy in between, so it may be retried. */
export function errorFromGraphQL(error: unknown): ClientError {
  const { message = 'Unknown error', extensions = {} } = (error ?? {}) as GraphQLErrorShape
  const { code, retryable, field, retryAfterMs } = extensions
  if (code === undefined) return networkError(message)
  return new ClientError(message, { code, retryable: retryable === true, field, retryAfterMs })
}

type GraphQLErrorShape = { message?: string; extensions?: Partial<Details> }

/** Says whether another attempt is useless. A refused token says nothing about the request: the next attempt has the next token. */
export const isFinal = ({ code, retryable }: ClientError): boolean => !retryable && code !== 'UNAUTHENTICATED'

export const asClientError = (error: unknown): ClientError =>
  error instanceof ClientError ? error : networkError(error instanceof Error ? error.message : String(error), error)
