import type { HttpResponse } from './http-response.ts'

type Details = {
  status?: number
  /** The request or its answer was lost on the way: whether DynamoDB did it is not known. */
  isAnswerLost?: boolean
  /** Our clock was wrong, and is corrected now. */
  isSkewed?: boolean
  retryAfterMs?: number | undefined
}

/** An error that DynamoDB answered with, named as DynamoDB names it, or one that was met on the way. */
export class DynamoError extends Error {
  readonly status: number | undefined
  readonly isAnswerLost: boolean
  readonly isSkewed: boolean
  readonly retryAfterMs: number | undefined
  readonly $metadata: { attempts?: number } = {}

  constructor(name: string, message: string, details: Details = {}, options?: { cause?: unknown }) {
    super(message, options)
    this.name = name
    this.status = details.status
    this.isAnswerLost = details.isAnswerLost ?? false
    this.isSkewed = details.isSkewed ?? false
    this.retryAfterMs = details.retryAfterMs
  }
}

/** DynamoDB did not answer, or did not do what it was asked for: the cause says why. Whether a write has happened is not known. */
export class DynamoUnavailableError extends Error {
  override name = 'DynamoUnavailableError'

  constructor(cause: unknown) {
    super('DynamoDB is not available.', { cause })
  }
}

export const lost = (cause: unknown): DynamoError =>
  new DynamoError(
    cause instanceof Error ? cause.name : 'Error',
    cause instanceof Error ? cause.message : 'The answer was lost.',
    { isAnswerLost: true },
    { cause },
  )

const skewMinMs = 4 * 60_000
const clockErrors = new Set([
  'AccessDeniedException',
  'AuthFailure',
  'InvalidSignatureException',
  'RequestExpired',
  'RequestInTheFuture',
  'RequestTimeTooSkewed',
  'SignatureDoesNotMatch',
])

/** Makes the error that an answer other than 200 tells of. `signedAtMs` is by our clock, corrected as far as it was. */
export function errorOf(answer: HttpResponse, signedAtMs: number): DynamoError {
  const { status } = answer
  const said = parse(answer.body)
  const type = [answer.header('x-amzn-errortype'), said.code, said.__type].find((each) => typeof each === 'string')
  const name = typeof type === 'string' ? nameIn(type) : 'UnknownError'
  const message = [said.message, said.Message].find((each) => typeof each === 'string')
  const awayMs = Date.parse(answer.header('date') ?? '') - signedAtMs
  return new DynamoError(
    name,
    typeof message === 'string' && message !== '' ? message : `DynamoDB answered ${status}.`,
    {
      status,
      isSkewed: clockErrors.has(name) && Math.abs(awayMs) >= skewMinMs,
      retryAfterMs: retryAfterMsOf(answer),
    },
  )
}

/** The type is like `com.amazonaws.dynamodb.v20120810#ThrottlingException`, or has a colon and a URL behind it. */
const nameIn = (type: string): string => (type.split(/[:,]/)[0] ?? type).replace(/^.*#/, '')

function retryAfterMsOf({ header }: HttpResponse): number | undefined {
  const [seconds, ms] = [header('retry-after'), header('x-amz-retry-after')]
  if (ms !== undefined && /^\d+$/.test(ms)) return Number(ms)
  return seconds !== undefined && /^\d+(\.\d+)?$/.test(seconds) ? Number(seconds) * 1000 : undefined
}

function parse(body: Buffer): Record<string, unknown> {
  try {
    const said: unknown = JSON.parse(body.toString())
    return typeof said === 'object' && said !== null ? (said as Record<string, unknown>) : {}
  } catch {
    // This may be the page of a proxy: the status says enough.
    return {}
  }
}
