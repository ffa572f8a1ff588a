import { throttlings } from './retry.ts'

/** Why a call has failed, in one of a few words. */
export type DynamoFailureReason = (typeof dynamoFailureReasons)[number]

export const dynamoFailureReasons = [
  'timeout',
  'connection',
  'throttled',
  'denied',
  'missing',
  'queue',
  'server',
  'invalid',
  'other',
] as const

const byName: Readonly<Record<string, DynamoFailureReason>> = {
  TimeoutError: 'timeout',
  AbortError: 'timeout',
  RequestTimeout: 'timeout',
  RequestTimeoutException: 'timeout',
  AccessDeniedException: 'denied',
  UnrecognizedClientException: 'denied',
  InvalidSignatureException: 'denied',
  MissingAuthenticationTokenException: 'denied',
  IncompleteSignatureException: 'denied',
  ExpiredTokenException: 'denied',
  CredentialsProviderError: 'denied',
  KMSAccessDeniedException: 'denied',
  ResourceNotFoundException: 'missing',
  ValidationException: 'invalid',
}

const ofOurs: readonly [RegExp, DynamoFailureReason][] = [
  [/^Too many are waiting already\.$|^All connections are in use\.$/, 'queue'],
  [/^AWS or credentials for it were not found in time\.$/, 'denied'],
  [/closed the connection\.$|^The client is closed\.$|does not match its checksum\.$/, 'connection'],
]

/** Looks at what the client rejects with, or at an error that has this as its cause. */
export function dynamoFailureReason(error: unknown, depth = 0): DynamoFailureReason {
  if (!(error instanceof Error) || depth > 4) return 'other'
  const { name, message, cause } = error
  if (throttlings.has(name)) return 'throttled'
  const known = byName[name] ?? ofOurs.find(([said]) => said.test(message))?.[1]
  if (known) return known
  if ('syscall' in error || ('code' in error && /^(E[A-Z]+|UND_)/.test(String(error.code)))) return 'connection'
  const status = statusOf(error)
  if (status === 429) return 'throttled'
  if (status !== undefined && status >= 500) return 'server'
  return cause === undefined ? 'other' : dynamoFailureReason(cause, depth + 1)
}

function statusOf(error: Error): number | undefined {
  const { status, $metadata } = error as { status?: unknown; $metadata?: { httpStatusCode?: unknown } }
  const found = status ?? $metadata?.httpStatusCode
  return typeof found === 'number' ? found : undefined
}
