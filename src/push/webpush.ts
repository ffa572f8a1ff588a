import { ECDH } from 'node:crypto'
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { Notification, PushOutcome, PushProvider } from '../ports/push.ts'
import { parseUrl } from '../protocol/parse-url.ts'
import { InnerAddressError, isPublicName, publicLookup } from '../shared/public-address.ts'
import { retryAfterMs } from '../shared/retry-after.ts'
import { type Attempt, sendInTime } from './deadline.ts'
import { accepted, rejected, retry, retryAlone, unregistered } from './outcomes.ts'
import { collapseKeyOf, keptForSeconds, payloadOf } from './payload.ts'

export type VapidKeys = { publicKey: string; privateKey: string; subject: string }

type WebPushOptions = {
  vapid: VapidKeys
  now: () => number
  /** Whether only services on the internet are called, and only over TLS. */
  publicOnly: boolean
  timeoutMs?: number
}

type Subscription = { endpoint: string; keys: { p256dh: string; auth: string } }
type Answer = { status: number; retryAfter: string | undefined }

/** A longer body is of no use here, so the rest of it is not read. */
const bodyMaxBytes = 16 * 1024

/** Sends to browsers by RFC 8030, with the encryption of RFC 8291 and the keys of RFC 8292. A token is a subscription as JSON. */
export function createWebPush({ vapid, now, publicOnly, timeoutMs = 10_000 }: WebPushOptions): PushProvider {
  const agents = { 'https:': new HttpsAgent({ keepAlive: true }), 'http:': new HttpAgent({ keepAlive: true }) }

  const attempt: Attempt = async (token, notification, signal) => {
    const subscription = parse(token)
    if (!subscription || endpointProblem(subscription.endpoint, publicOnly)) return unregistered
    try {
      return toOutcome(await post(subscription, notification, signal))
    } catch (error) {
      if (error instanceof InnerAddressError) return rejected(error.message)
      throw error
    }
  }

  async function post(subscription: Subscription, notification: Notification, signal: AbortSignal): Promise<Answer> {
    // It is loaded with the first push: most nodes in development mode never send one.
    const { default: webPush } = await import('web-push')
    const { headers, body } = webPush.generateRequestDetails(subscription, JSON.stringify(payloadOf(notification)), {
      vapidDetails: vapid,
      TTL: keptForSeconds,
      topic: collapseKeyOf(notification),
      urgency: notification.type === 'show' ? 'high' : 'low',
    })
    const url = new URL(subscription.endpoint)
    const isTls = url.protocol === 'https:'
    const options: RequestOptions = {
      method: 'POST',
      headers: headers as Record<string, string>,
      agent: agents[isTls ? 'https:' : 'http:'],
      ...(publicOnly && { lookup: publicLookup as NonNullable<RequestOptions['lookup']> }),
    }
    return new Promise((resolve, reject) => {
      let answer: Answer | undefined
      const end = (error: Error) => (answer ? resolve(answer) : reject(error))
      const request = (isTls ? httpsRequest : httpRequest)(url, options, (response: IncomingMessage) => {
        answer = { status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] }
        let bytes = 0
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length
          if (bytes > bodyMaxBytes) response.destroy()
        })
        response.on('error', end)
      })
      request.on('error', end)
      // After an answer like 101, which is neither a response nor an error to Node, only this event tells of it.
      request.on('close', () => end(new Error('The connection ended without an answer.')))
      signal.addEventListener('abort', () => {
        end(signal.reason)
        request.destroy()
      })
      request.end(body)
    })
  }

  function toOutcome({ status, retryAfter }: Answer): PushOutcome {
    if (status >= 200 && status < 300) return accepted
    if (status === 404 || status === 410) return unregistered
    if (status === 429) return retryAlone('429', retryAfterMs(retryAfter, now()))
    if (status >= 500) return retry(String(status), retryAfterMs(retryAfter, now()))
    return rejected(String(status))
  }

  return {
    send: sendInTime(timeoutMs, attempt),
    tokenProblem: (token) => tokenProblem(token, publicOnly),
    laneOf: (token) => new URL(parse(token)?.endpoint ?? 'about:blank').origin,
    close: () => Object.values(agents).forEach((agent) => void agent.destroy()),
  }
}

function tokenProblem(token: string, publicOnly: boolean): string | undefined {
  const subscription = parse(token)
  if (!subscription)
    return 'token must be a push subscription as JSON: an endpoint, and the keys p256dh and auth in base64url.'
  return endpointProblem(subscription.endpoint, publicOnly)
}

function endpointProblem(endpoint: string, publicOnly: boolean): string | undefined {
  const { protocol, hostname, username, password } = new URL(endpoint)
  const isLocal = ['localhost', '127.0.0.1'].includes(hostname)
  const isAllowed = protocol === 'https:' || (protocol === 'http:' && isLocal && !publicOnly)
  if (!isAllowed || username !== '' || password !== '') return 'The endpoint must be an https URL without credentials.'
  if (publicOnly && !isPublicName(hostname)) return 'The endpoint must be on a host on the internet, by its name.'
  return undefined
}

function parse(token: string): Subscription | undefined {
  try {
    const { endpoint, keys } = JSON.parse(token) as Subscription
    const isWhole = parseUrl(endpoint) !== undefined && isPublicKey(keys.p256dh) && isSecret(keys.auth)
    return isWhole ? { endpoint, keys: { p256dh: keys.p256dh, auth: keys.auth } } : undefined
  } catch {
    return undefined
  }
}

const bytesOf = (text: string): Buffer =>
  /^[A-Za-z0-9_-]+={0,2}$/.test(text) ? Buffer.from(text, 'base64url') : Buffer.alloc(0)

/** Whether this is an uncompressed point on the curve. */
function isPublicKey(text: string): boolean {
  const point = bytesOf(text)
  // This throws where it is no point.
  return point.length === 65 && ECDH.convertKey(point, 'prime256v1').length > 0
}

const isSecret = (text: string): boolean => bytesOf(text).length === 16
