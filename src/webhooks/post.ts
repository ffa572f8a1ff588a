import { randomBytes } from 'node:crypto'
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import type { DeliveryOutcome, WebhookPost } from '../ports/webhooks.ts'
import { InnerAddressError } from '../shared/public-address.ts'
import { retryAfterMs } from '../shared/retry-after.ts'
import { createSigner, secretText } from '../shared/standard-webhooks.ts'
import { type AllowedAddresses, createAddresses, type Resolve } from './addresses.ts'

// Posts an event to an endpoint. Any answer with a status of 200 to 299 takes it; nothing else of an answer is read. No redirect is followed: it would
// lead to an address that nobody has set.

/** This is for everything together: finding the host, connecting, the request and the answer. */
const timeoutDefaultMs = 15_000
/** A kept connection that is gone already says so within this time. */
const staleMs = 1000
const retryAfterMaxMs = 24 * 60 * 60_000
/** A connection whose answer is longer is closed, and not used again. */
const answerMaxBytes = 64 * 1024
const secretBytes = 32

type Options = {
  allowed: AllowedAddresses
  clock: { now(): number; monotonic(): number }
  timeoutMs?: number
  resolve?: Resolve
}
type Request = Parameters<WebhookPost['post']>[0]
type Answer = { status: number; retryAfter: string | undefined }

export function createWebhookPost({ allowed, clock, timeoutMs = timeoutDefaultMs, resolve }: Options) {
  const { lookup, assertHost, assertConnected, problemOf } = createAddresses(allowed, resolve)
  const options = { keepAlive: true, maxFreeSockets: 32, timeout: 60_000, lookup }
  const agents = { 'http:': new HttpAgent(options), 'https:': new HttpsAgent(options) }

  async function post(given: Request): Promise<DeliveryOutcome> {
    const startedAtMs = clock.monotonic()
    const tookMs = () => clock.monotonic() - startedAtMs
    try {
      const { status, retryAfter } = await send(given).catch((error: unknown) => {
        // The endpoint may have closed a kept connection just as it was used, so this is sent again.
        if (error instanceof StaleConnectionError && tookMs() < staleMs) return send(given)
        throw error
      })
      if (status >= 200 && status < 300) return { ok: true, tookMs: tookMs() }
      const after = retryAfterMs(retryAfter, clock.now(), retryAfterMaxMs)
      const more = after === undefined ? {} : { retryAfterMs: after }
      return { ok: false, tookMs: tookMs(), status, error: `status ${status}`, ...more }
    } catch (error) {
      return { ok: false, tookMs: tookMs(), error: textOf(error) }
    }
  }

  async function send({ url: text, secrets, id, body }: Request): Promise<Answer> {
    const url = new URL(text)
    assertHost(url.hostname)
    const isTls = url.protocol === 'https:'
    const headers = {
      ...createSigner(secrets)(id, clock.now(), body),
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'user-agent': 'parley',
    }
    return new Promise((resolve, reject) => {
      const start = isTls ? httpsRequest : httpRequest
      const sent = start(url, { method: 'POST', headers, agent: agents[isTls ? 'https:' : 'http:'] }, (response) => {
        resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] })
        ignore(response)
      })
      const late = setTimeout(() => sent.destroy(new LateError()), timeoutMs)
      sent.on('socket', (socket: Socket) => {
        // A kept connection was checked when it was made.
        if (!socket.connecting) return
        socket.once(isTls ? 'secureConnect' : 'connect', () => {
          try {
            assertConnected(socket)
          } catch (error) {
            sent.destroy(error as Error)
          }
        })
      })
      sent.on('error', (error) => {
        const isStale = sent.reusedSocket && 'code' in error && error.code === 'ECONNRESET'
        reject(isStale ? new StaleConnectionError() : error)
      })
      sent.on('close', () => {
        clearTimeout(late)
        reject(new Error('closed without an answer'))
      })
      sent.end(body)
    })
  }

  return {
    post,
    problemOf,
    newSecret: () => secretText(randomBytes(secretBytes)),
    close: () => Object.values(agents).forEach((agent) => void agent.destroy()),
  }
}

class LateError extends Error {}
class StaleConnectionError extends Error {}

/** Lets the connection be used again. */
function ignore(response: IncomingMessage): void {
  let bytes = 0
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > answerMaxBytes) response.destroy()
  })
  // What fails here is the end of a connection that has given its answer.
  response.on('error', () => undefined)
}

/** Names the error without quoting anything that was sent or answered. */
function textOf(error: unknown): string {
  if (error instanceof LateError) return 'no answer in time'
  if (error instanceof InnerAddressError) return 'the address leads into a private network'
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return code === '' ? 'the connection failed' : code
}
