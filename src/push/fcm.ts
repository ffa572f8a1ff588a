import type { Notification, PushOutcome, PushProvider } from '../ports/push.ts'
import { retryAfterMs } from '../shared/retry-after.ts'
import { answerText } from './answer-text.ts'
import { type Attempt, sendInTime } from './deadline.ts'
import { createGoogleToken, type ServiceAccount } from './google-token.ts'
import { accepted, rejected, retry, unregistered } from './outcomes.ts'
import { collapseKeyOf, keptForSeconds, payloadOf } from './payload.ts'

type FcmOptions = {
  account: ServiceAccount
  now: () => number
  /** The service to call instead of Google's own. */
  endpoint?: string
  timeoutMs?: number
}

/** The part of the API's errors that matters here. */
type Failure = {
  error?: {
    status?: string
    details?: { errorCode?: string; fieldViolations?: { field?: string }[] }[]
  }
}

/** Sends to Android devices by FCM's HTTP v1 API. A token is a registration token. */
export function createFcm({ account, now, endpoint = 'https://fcm.googleapis.com', timeoutMs = 10_000 }: FcmOptions) {
  const accessToken = createGoogleToken({ account, now, timeoutMs })
  const url = `${endpoint}/v1/projects/${encodeURIComponent(account.projectId)}/messages:send`

  const attempt: Attempt = async (token, notification, signal) => {
    const first = await post(token, notification, signal)
    if (first.status !== 401) return toOutcome(first)
    await first.body?.cancel()
    // The access token ended sooner than it said.
    accessToken.forget()
    return toOutcome(await post(token, notification, signal))
  }

  const post: (...push: Parameters<Attempt>) => Promise<Response> = async (token, notification, signal) =>
    fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${await accessToken.get()}`, 'content-type': 'application/json' },
      body: JSON.stringify({ message: messageTo(token, notification) }),
      signal,
    })

  async function toOutcome(response: Response): Promise<PushOutcome> {
    const { status, headers } = response
    if (response.ok) {
      await response.body?.cancel()
      return accepted
    }
    const { error } = failureIn(await answerText(response))
    const details = error?.details ?? []
    const code = details.find((each) => each.errorCode)?.errorCode ?? error?.status ?? String(status)
    const isAboutToken = details.some((each) => each.fieldViolations?.some(({ field }) => field === 'message.token'))
    if (status === 404 || code === 'UNREGISTERED' || code === 'SENDER_ID_MISMATCH') return unregistered
    if (code === 'INVALID_ARGUMENT') return isAboutToken ? unregistered : rejected(code)
    if (status === 429 || status >= 500 || status === 401)
      return retry(code, retryAfterMs(headers.get('retry-after'), now()))
    return rejected(code)
  }

  return {
    send: sendInTime(timeoutMs, attempt),
    tokenProblem: (token) =>
      /^[\x21-\x7e]+$/.test(token) ? undefined : 'token must be an FCM registration token, without blanks.',
    laneOf: () => '',
    close: () => undefined,
  } satisfies PushProvider
}

function failureIn(text: string): Failure {
  try {
    const said: unknown = JSON.parse(text)
    return typeof said === 'object' && said !== null ? said : {}
  } catch {
    return {}
  }
}

/** Android itself shows a banner. The app takes one away, so it gets the data alone. */
function messageTo(token: string, notification: Notification): object {
  const data = Object.fromEntries(Object.entries(payloadOf(notification)).map(([name, value]) => [name, String(value)]))
  const android = { collapse_key: collapseKeyOf(notification), ttl: `${keptForSeconds}s` }
  if (notification.type === 'withdraw') return { token, data, android: { ...android, priority: 'NORMAL' } }
  const { title, body, conversationId } = notification
  return {
    token,
    data,
    notification: { title, body },
    android: { ...android, priority: 'HIGH', notification: { tag: conversationId } },
  }
}
