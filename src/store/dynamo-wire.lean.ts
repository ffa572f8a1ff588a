import { setTimeout as sleep } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { DynamoError, errorOf, lost } from './dynamo-error.ts'
import { createHttp, type Http, type HttpAnswer } from './dynamo-http.ts'
import { decodeAnswer, encodeRequest } from './dynamo-json.ts'
import { createIdentity, findAws, type Identity } from './dynamo-place.ts'
import { createRetryBudget } from './dynamo-retry.ts'
import { createSign, type Sign } from './dynamo-signature.ts'
import type { Answer, DynamoWire, Input, Operation, WireOptions } from './dynamo-wire.ts'
import { attemptsMax, backoffMaxMs, nobody } from './dynamo-wire.ts'

type Place = { path: string; http: Http; sign: Sign; identity: Identity }
type Request = { target: string; body: Buffer }

/** Without the SDK, which it loads only to find AWS and credentials for it. */
export function createLeanWire(options: WireOptions): DynamoWire {
  const { endpoint, region, credentials: given, now, random } = options
  const budget = createRetryBudget(random)
  let place = endpoint === undefined ? undefined : placeAt(endpoint, () => given ?? nobody)
  let opening: Promise<Place> | undefined
  let closing: Promise<void> | undefined
  /** What our clock lacks to DynamoDB's. */
  let skewMs = 0

  function placeAt(found: string, identity: Identity): Place {
    const url = new URL(found.endsWith('/') ? found : `${found}/`)
    const http = createHttp(url.origin)
    return { path: url.pathname, http, sign: createSign({ url, region }), identity }
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

  async function send<O extends Operation>(
    operation: O,
    input: Input<O>,
    attemptTimeoutMs: number,
  ): Promise<Answer<O>> {
    const request = { target: `DynamoDB_20120810.${operation}`, body: Buffer.from(encodeRequest(input)) }
    const endMs = performance.now() + attemptsMax * attemptTimeoutMs + backoffMaxMs
    let cost: number | undefined
    for (let attempts = 1; ; attempts += 1) {
      try {
        const answer = await attempt(request, attemptTimeoutMs, endMs)
        budget.succeeded(cost)
        return Object.assign(answer, { $metadata: { attempts } }) as Answer<O>
      } catch (error) {
        if (!(error instanceof DynamoError)) throw error
        error.$metadata.attempts = attempts
        const retry = attempts < attemptsMax && !closing ? budget.take(error) : undefined
        if (!retry || performance.now() + retry.delayMs >= endMs) throw error
        cost = retry.cost
        await sleep(retry.delayMs)
      }
    }
  }

  async function attempt(request: Request, attemptTimeoutMs: number, endMs: number): Promise<Record<string, unknown>> {
    const { path, http, sign, identity } = place ?? (await before(endMs, open()))
    const held = identity()
    const credentials = held instanceof Promise ? await before(endMs, held) : held
    const atMs = now() + skewMs
    const headers = sign({ ...request, credentials, atMs })
    const endWithinMs = Math.max(endMs - performance.now(), 0)
    const limits = { firstByteWithinMs: Math.min(attemptTimeoutMs, endWithinMs), endWithinMs }
    const answer = await http.post({ path, headers, body: request.body }, limits).catch((error: unknown) => {
      throw lost(error)
    })
    if (answer.status === 200) return contentOf(answer)
    const error = errorOf(answer, atMs)
    if (error.isSkewed) skewMs = Date.parse(answer.header('date') ?? '') - now()
    throw error
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
function contentOf({ body, header }: HttpAnswer): Record<string, unknown> {
  const sum = header('x-amz-crc32')
  if (sum !== undefined && Number(sum) !== crc32(body)) throw lost(new Error('The answer does not match its checksum.'))
  return decodeAnswer(body.toString())
}

/** Whoever provides credentials may take its time, which is not ours. */
async function before<T>(endMs: number, wanted: Promise<T>): Promise<T> {
  const waiting = new AbortController()
  const late = sleep(Math.max(endMs - performance.now(), 0), undefined, { signal: waiting.signal }).then(() => {
    throw new Error('AWS or credentials for it were not found in time.')
  })
  late.catch(() => undefined)
  try {
    return await Promise.race([wanted, late])
  } finally {
    waiting.abort()
  }
}
