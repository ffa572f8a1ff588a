import { crc32 } from 'node:zlib'
import { systemTimers } from '../../shared/timers.ts'
import { within } from '../../shared/within.ts'
import { createCredentialsCache, findEndpointAndCredentials, type GetCredentials } from './endpoint-and-credentials.ts'
import { DynamoError, errorOf, lost } from './error.ts'
import { createHttp, type Http, StaleConnectionError } from './http.ts'
import type { HttpResponse } from './http-response.ts'
import { decodeAnswer, encodeRequest } from './json.ts'
import { createRetryBudget, type Retry } from './retry.ts'
import { createSign, type Sign } from './signature.ts'
import type { Answer, Caller, Credentials, DynamoWire, Input, Operation, WireOptions } from './wire.ts'
import { attemptsMax, backoffMaxMs, localCredentials } from './wire.ts'

/** An endpoint that was found, and what a call to it needs. */
type Endpoint = { http: Http; sign: Sign; getCredentials: GetCredentials }

/** One call, from its first attempt to its outcome. */
class PendingCall {
  attempts = 0
  /** Whether it was sent again over a fresh connection because the server had closed a kept one. */
  isFresh = false
  /** The second attempt took this from the retry budget. */
  cost: number | undefined
  readonly target: string
  readonly body: string
  readonly caller: Caller<Operation>
  readonly attemptTimeoutMs: number
  readonly endMs: number

  constructor(target: string, body: string, caller: Caller<Operation>, attemptTimeoutMs: number, endMs: number) {
    this.target = target
    this.body = body
    this.caller = caller
    this.attemptTimeoutMs = attemptTimeoutMs
    this.endMs = endMs
  }
}

const firstAttempt = Object.freeze({ attempts: 1 })
const notFoundInTime = () => new Error('AWS or credentials for it were not found in time.')

/** Sends requests without the SDK, which it loads only to find the AWS endpoint and credentials. */
export function createLeanWire(options: WireOptions): DynamoWire {
  const { endpoint, region, credentials: given, now, random, timers = systemTimers } = options
  const budget = createRetryBudget(random)
  let resolved = endpoint === undefined ? undefined : endpointAt(endpoint, () => given ?? localCredentials)
  let opening: Promise<Endpoint> | undefined
  let closing: Promise<void> | undefined
  /** Our clock is behind DynamoDB's by this. */
  let skewMs = 0

  function endpointAt(found: string, getCredentials: GetCredentials): Endpoint {
    const url = new URL(found.endsWith('/') ? found : `${found}/`)
    return { http: createHttp(url, timers), sign: createSign({ url, region }), getCredentials }
  }

  function open(): Promise<Endpoint> {
    opening ??= findEndpointAndCredentials(region)
      .then(({ endpoint: found, credentials }) => {
        resolved = endpointAt(found, given ? () => given : createCredentialsCache(credentials, now))
        return resolved
      })
      .finally(() => {
        opening = undefined
      })
    return opening
  }

  function send<O extends Operation>(operation: O, input: Input<O>, attemptTimeoutMs: number, caller: Caller<O>): void {
    try {
      const endMs = timers.monotonic() + attemptsMax * attemptTimeoutMs + backoffMaxMs
      attempt(new PendingCall(`DynamoDB_20120810.${operation}`, encodeRequest(input), caller, attemptTimeoutMs, endMs))
    } catch (error) {
      queueMicrotask(() => caller.failed(error))
    }
  }

  function attempt(call: PendingCall): void {
    call.attempts += 1
    const credentials = resolved?.getCredentials()
    if (resolved && credentials && !(credentials instanceof Promise)) post(call, resolved, credentials)
    else
      resolveEndpoint(call.endMs).then(
        ([found, current]) => post(call, found, current),
        (error: unknown) => call.caller.failed(error),
      )
  }

  async function resolveEndpoint(endMs: number): Promise<[Endpoint, Credentials]> {
    const found = resolved ?? (await before(endMs, open()))
    const held = found.getCredentials()
    return [found, held instanceof Promise ? await before(endMs, held) : held]
  }

  /** A provider of credentials may take longer than a call may. */
  const before = <T>(endMs: number, wanted: Promise<T>): Promise<T> =>
    within(timers, Math.max(endMs - timers.monotonic(), 0), wanted, notFoundInTime)

  function post(call: PendingCall, { http, sign }: Endpoint, credentials: Credentials): void {
    const { target, body, attemptTimeoutMs, endMs, isFresh } = call
    const atMs = now() + skewMs
    const endWithinMs = Math.max(endMs - timers.monotonic(), 0)
    const limits = { firstByteWithinMs: Math.min(attemptTimeoutMs, endWithinMs), endWithinMs }
    const failed = (error: unknown) =>
      mayRetryOnFreshConnection(call, error) ? retryOnFreshConnection(call) : onFailure(call, lost(error))
    try {
      const headers = sign({ target, body, credentials, atMs })
      http.post(
        { headers, body, limits, fresh: isFresh },
        { answered: (answer) => onAnswer(call, answer, atMs), failed },
      )
    } catch (error) {
      queueMicrotask(() => failed(error))
    }
  }

  // A server closes kept connections when it likes, all at once when it is replaced: that says nothing about its load, so the retry budget,
  // which is there for a service in trouble, is not asked. This happens once per call, so a server that closes everything is not asked for
  // ever. It is safe for writes for the reason in retry.ts.
  const mayRetryOnFreshConnection = ({ isFresh }: PendingCall, error: unknown): boolean =>
    error instanceof StaleConnectionError && !isFresh && !closing

  function retryOnFreshConnection(call: PendingCall): void {
    call.isFresh = true
    attempt(call)
  }

  function onAnswer(call: PendingCall, answer: HttpResponse, atMs: number): void {
    let content: Record<string, unknown>
    try {
      content = contentOf(answer, atMs)
    } catch (error) {
      onFailure(call, error)
      return
    }
    budget.succeeded(call.cost)
    content.$metadata = call.attempts === 1 ? firstAttempt : { attempts: call.attempts }
    call.caller.answered(content as Answer<Operation>)
  }

  function contentOf(answer: HttpResponse, atMs: number): Record<string, unknown> {
    if (answer.status === 200) return checkedContentOf(answer)
    const error = errorOf(answer, atMs)
    if (error.isSkewed) skewMs = Date.parse(answer.header('date') ?? '') - now()
    throw error
  }

  function onFailure(call: PendingCall, error: unknown): void {
    const retry = error instanceof DynamoError ? retryOf(call, error) : undefined
    if (!retry) call.caller.failed(error)
    else {
      call.cost = retry.cost
      setTimeout(attempt, retry.delayMs, call)
    }
  }

  function retryOf({ attempts, endMs, isFresh }: PendingCall, error: DynamoError): Retry | undefined {
    error.$metadata.attempts = attempts
    const retry = attempts < attemptsMax + (isFresh ? 1 : 0) && !closing ? budget.take(error) : undefined
    return retry && timers.monotonic() + retry.delayMs < endMs ? retry : undefined
  }

  async function closeAll(): Promise<void> {
    const opened = resolved ?? (await opening?.catch(() => undefined))
    await opened?.http.close()
  }

  function close(): Promise<void> {
    closing ??= closeAll()
    return closing
  }

  return { send, close }
}

/** DynamoDB sends a checksum of each answer. An answer that does not match it was damaged on the way, and counts as lost. */
function checkedContentOf({ body, header }: HttpResponse): Record<string, unknown> {
  const sum = header('x-amz-crc32')
  if (sum !== undefined && Number(sum) !== crc32(body)) throw lost(new Error('The answer does not match its checksum.'))
  return decodeAnswer(body.toString())
}
