import { type ClientHttp2Session, connect, constants } from 'node:http2'
import { importPKCS8, SignJWT } from 'jose'
import type { Notification, PushOutcome, PushProvider } from '../ports/push.ts'
import { retryAfterMs } from '../shared/retry-after.ts'
import { type Attempt, sendInTime } from './deadline.ts'
import { accepted, rejected, retry, retryAlone, unregistered } from './outcomes.ts'
import { collapseKeyOf, keptForSeconds, payloadOf } from './payload.ts'

/** `key` is PKCS #8 in PEM; `topic` is the app's bundle id. */
export type ApnsAccount = { key: string; keyId: string; teamId: string; topic: string; sandbox: boolean }

type ApnsOptions = {
  account: ApnsAccount
  now: () => number
  /** The service to call instead of Apple's own. */
  endpoint?: string
  timeoutMs?: number
}

type Answer = { status: number; reason: string; retryAfter: string | undefined }

/** Apple refuses tokens that are older than an hour, and providers that make new ones more often than every 20 minutes. */
const providerTokenMs = 40 * 60_000
const answerMaxBytes = 4096

const goneReasons = ['BadDeviceToken', 'Unregistered', 'ExpiredToken', 'DeviceTokenNotForTopic']

/** Sends to iPhones and the like, over one HTTP/2 connection. A token is a device token in hex. */
export function createApns(options: ApnsOptions): PushProvider {
  const { account, now, timeoutMs = 10_000 } = options
  const endpoint = options.endpoint ?? `https://api.${account.sandbox ? 'sandbox.' : ''}push.apple.com`
  const leaving = new WeakSet<ClientHttp2Session>()
  let session: ClientHttp2Session | undefined
  let held: { token: Promise<string>; goodUntilMs: number } | undefined

  const attempt: Attempt = async (token, notification, signal) => {
    const first = await post(token, notification, signal)
    if (first.reason !== 'ExpiredProviderToken') return toOutcome(first)
    held = undefined
    return toOutcome(await post(token, notification, signal))
  }

  function providerToken(): Promise<string> {
    if (held && held.goodUntilMs > now()) return held.token
    const token = importPKCS8(account.key, 'ES256').then((key) =>
      new SignJWT({})
        .setProtectedHeader({ alg: 'ES256', kid: account.keyId })
        .setIssuer(account.teamId)
        .setIssuedAt(Math.floor(now() / 1000))
        .sign(key),
    )
    held = { token, goodUntilMs: now() + providerTokenMs }
    return token
  }

  /** A connection that ends, or is about to, is no longer used; what is under way on it may finish. */
  function connection(): ClientHttp2Session {
    if (session && !session.closed && !session.destroyed) return session
    const fresh = connect(endpoint)
    const drop = () => {
      if (session === fresh) session = undefined
    }
    fresh.on('error', drop).on('close', drop)
    fresh.on('goaway', () => {
      drop()
      fresh.close()
    })
    // While no push is under way, the connection does not keep the process alive.
    fresh.unref()
    session = fresh
    return fresh
  }

  /** The peer may be gone, so the next push goes over a fresh connection. Pushes under way end by their own timers first. */
  function leave(used: ClientHttp2Session): void {
    if (session === used) session = undefined
    if (used.destroyed || leaving.has(used)) return
    leaving.add(used)
    used.close()
    setTimeout(() => used.destroy(), timeoutMs).unref()
  }

  async function post(token: string, notification: Notification, signal: AbortSignal): Promise<Answer> {
    const isShown = notification.type === 'show'
    const headers = {
      ':method': 'POST',
      ':path': `/3/device/${token}`,
      authorization: `bearer ${await providerToken()}`,
      'apns-topic': account.topic,
      'apns-push-type': isShown ? 'alert' : 'background',
      'apns-priority': isShown ? '10' : '5',
      'apns-collapse-id': collapseKeyOf(notification),
      'apns-expiration': String(Math.floor(now() / 1000) + keptForSeconds),
    }
    signal.throwIfAborted()
    const used = connection()
    return new Promise<Answer>((resolve, reject) => {
      const stream = used.request(headers)
      const answer: Answer = { status: 0, reason: '', retryAfter: undefined }
      let text = ''
      stream.setEncoding('utf8')
      stream.on('response', (received) => {
        answer.status = Number(received[':status'])
        answer.retryAfter = received['retry-after']?.toString()
      })
      stream.on('data', (chunk: string) => {
        if (text.length < answerMaxBytes) text += chunk
        else stream.close(constants.NGHTTP2_CANCEL)
      })
      const end = (error: Error) =>
        answer.status === 0 ? reject(error) : resolve({ ...answer, reason: reasonIn(text) })
      stream.on('error', end)
      stream.on('close', () => end(new Error('The connection ended without an answer.')))
      signal.addEventListener('abort', () => {
        end(signal.reason)
        stream.close(constants.NGHTTP2_CANCEL)
        leave(used)
      })
      stream.end(JSON.stringify(bodyOf(notification)))
    })
  }

  function toOutcome({ status, reason, retryAfter }: Answer): PushOutcome {
    if (status === 200) return accepted
    if (status === 410 || goneReasons.includes(reason)) return unregistered
    if (status === 429 && reason === 'TooManyRequests') return retryAlone(reason, retryAfterMs(retryAfter, now()))
    if (status === 429 || status >= 500) return retry(reason || String(status), retryAfterMs(retryAfter, now()))
    return rejected(reason || String(status))
  }

  return {
    send: sendInTime(timeoutMs, attempt),
    tokenProblem: (token) =>
      /^[0-9a-f]{64,200}$/i.test(token) ? undefined : 'token must be an APNs device token: 64 hex digits or more.',
    laneOf: () => '',
    close: () => session?.destroy(),
  }
}

function bodyOf(notification: Notification): object {
  const { tag: _tag, ...payload } = payloadOf(notification)
  if (notification.type === 'withdraw') return { aps: { 'content-available': 1 }, ...payload }
  const { title, body, conversationId, seq } = notification
  return { aps: { alert: { title, body }, sound: 'default', 'thread-id': conversationId }, conversationId, seq }
}

function reasonIn(text: string): string {
  try {
    const { reason } = JSON.parse(text) as { reason?: unknown }
    return typeof reason === 'string' ? reason : ''
  } catch {
    return ''
  }
}
