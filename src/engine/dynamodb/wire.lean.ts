import { crc32 } from 'node:zlib'
import { systemTimers } from '../../shared/timers.ts'
import { within } from '../../shared/within.ts'
import type { HttpAnswer } from './http-response.ts'
import { createIdentity, findAws, type Identity } from './endpoint-and-credentials.ts'
import { DynamoError, errorOf, lost } from './error.ts'
import { createHttp, type Http, StaleConnectionError } from './http.ts'
import { decodeAnswer, encodeRequest } from './json.ts'
import { createRetryBudget, type Retry } from './retry.ts'
import { createSign, type Sign } from './signature.ts'
import type { Answer, Caller, Credentials, DynamoWire, Input, Operation, WireOptions } from './wire.ts'
import { attemptsMax, backoffMaxMs, nobody } from './wire.ts'

type Place = { http: Http; sign: Sign; identity: Identity }

/** A call on its way. */
class Sending {
  attempts = 0
  /** Whether it went again over a fresh connection because a kept one had been closed. */
  isFresh = false
  /** What the second attempt was paid with. */
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

/** Without the SDK, which it loads only to find AWS and credentials for it. */
export function createLeanWire(options: WireOptions): DynamoWire {
  const { endpoint, region, credentials: given, now, random, timers = systemTimers } = options
  const budget = createRetryBudget(random)
  let place = endpoint === undefined ? undefined : placeAt(endpoint, () => given ?? nobody)
  let opening: Promise<Place> | undefined
  let closing: Promise<void> | undefined
  /** What our clock lacks to DynamoDB's. */
  let skewMs = 0

  function placeAt(found: string, identity: Identity): Place {
    const url = new URL(found.endsWith('/') ? found : `${found}/`)
    return { http: createHttp(url, timers), sign: createSign({ url, region }), identity }
  }

  function open(): Promise<Place> {
    opening ??= findAws(region)
      .then(({ endpoint: found, credentials }) => {
        place = placeAt(found, given ? () => given : createIdentity(credentials, now))
        return place
      })
      .finally(() => {
        opening = undefined
      })
    return opening
  }

  function send<O extends Operation>(operation: O, input: Input<O>, attemptTimeoutMs: number, caller: Caller<O>): void {
    try {
      const endMs = timers.monotonic() + attemptsMax * attemptTimeoutMs + backoffMaxMs
      attempt(new Sending(`DynamoDB_20120810.${operation}`, encodeRequest(input), caller, attemptTimeoutMs, endMs))
    } catch (error) {
      queueMicrotask(() => caller.failed(error))
    }
  }

  function attempt(sending: Sending): void {
    sending.attempts += 1
    const credentials = place?.identity()
    if (place && credentials && !(credentials instanceof Promise)) post(sending, place, credentials)
    else
      identify(sending.endMs).then(
        ([found, identified]) => post(sending, found, identified),
        (error: unknown) => sending.caller.failed(error),
      )
  }

  async function identify(endMs: number): Promise<[Place, Credentials]> {
    const found = place ?? (await before(endMs, open()))
    const held = found.identity()
    return [found, held instanceof Promise ? await before(endMs, held) : held]
  }

  /** Whoever provides credentials may take its time, which is not ours. */
  const before = <T>(endMs: number, wanted: Promise<T>): Promise<T> =>
    within(timers, Math.max(endMs - timers.monotonic(), 0), wanted, notFoundInTime)

  function post(sending: Sending, { http, sign }: Place, credentials: Credentials): void {
    const { target, body, attemptTimeoutMs, endMs, isFresh } = sending
    const atMs = now() + skewMs
    const endWithinMs = Math.max(endMs - timers.monotonic(), 0)
    const limits = { firstByteWithinMs: Math.min(attemptTimeoutMs, endWithinMs), endWithinMs }
    const failed = (error: unknown) => (mayGoAgain(sending, error) ? goAgain(sending) : onFailure(sending, lost(error)))
    try {
      const headers = sign({ target, body, credentials, atMs })
      http.post(
        { headers, body, limits, fresh: isFresh },
        { answered: (answer) => onAnswer(sending, answer, atMs), failed },
      )
    } catch (error) {
      queueMicrotask(() => failed(error))
    }
  }

  // A server closes kept connections when it likes, all at once when it is replaced: that says nothing about its load, so the retry
  // budget, which is there for a service in trouble, is not asked. Once per call, so a server that closes everything is not asked
  // for ever; safe for writes for the reason in retry.ts.
  const mayGoAgain = ({ isFresh }: Sending, error: unknown): boolean =>
    error instanceof StaleConnectionError && !isFresh && !closing

  function goAgain(sending: Sending): void {
    sending.isFresh = true
    attempt(sending)
  }

  function onAnswer(sending: Sending, answer: HttpAnswer, atMs: number): void {
    let content: Record<string, unknown>
    try {
      content = contentOf(answer, atMs)
    } catch (error) {
      onFailure(sending, error)
      return
    }
    budget.succeeded(sending.cost)
    content.$metadata = sending.attempts === 1 ? firstAttempt : { attempts: sending.attempts }
    sending.caller.answered(content as Answer<Operation>)
  }

  function contentOf(answer: HttpAnswer, atMs: number): Record<string, unknown> {
    if (answer.status === 200) return checkedContentOf(answer)
    const error = errorOf(answer, atMs)
    if (error.isSkewed) skewMs = Date.parse(answer.header('date') ?? '') - now()
    throw error
  }

  function onFailure(sending: Sending, error: unknown): void {
    const retry = error instanceof DynamoError ? retryOf(sending, error) : undefined
    if (!retry) sending.caller.failed(error)
    else {
      sending.cost = retry.cost
      setTimeout(attempt, retry.delayMs, sending)
    }
  }

  function retryOf({ attempts, endMs, isFresh }: Sending, error: DynamoError): Retry | undefined {
    error.$metadata.attempts = attempts
    const retry = attempts < attemptsMax + (isFresh ? 1 : 0) && !closing ? budget.take(error) : undefined
    return retry && timers.monotonic() + retry.delayMs < endMs ? retry : undefined
  }

  async function closeAll(): Promise<void> {
    const opened = place ?? (await opening?.catch(() => undefined))
    await opened?.http.close()
  }

  function close(): Promise<void> {
    closing ??= closeAll()
    return closing
  }

  return { send, close }
}

/** DynamoDB says what its answers amount to. One that does not was damaged on the way, and counts as lost. */
function checkedContentOf({ body, header }: HttpAnswer): Record<string, unknown> {
  const sum = header('x-amz-crc32')
  if (sum !== undefined && Number(sum) !== crc32(body)) throw lost(new Error('The answer does not match its checksum.'))
  return decodeAnswer(body.toString())
}
