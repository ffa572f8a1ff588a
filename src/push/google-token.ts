import { importPKCS8, SignJWT } from 'jose'
import { inTime } from '../shared/in-time.ts'
import { answerText } from './answer-text.ts'

/** The part of the JSON for a service account, as Google gives it out, that matters here. */
export type ServiceAccount = { projectId: string; clientEmail: string; privateKey: string; tokenUri: string }

const scope = 'https://www.googleapis.com/auth/firebase.messaging'
const assertionSeconds = 3600
/** A token is replaced so long before it ends. */
const sparedMs = 5 * 60_000

type Needs = { account: ServiceAccount; now: () => number; timeoutMs: number }

/** Gets an access token by a signed assertion (RFC 7523) and keeps it for as long as it is good. Callers that ask meanwhile wait for the same one. */
export function createGoogleToken({ account, now, timeoutMs }: Needs) {
  let held: { fetched: Promise<{ token: string }>; goodUntilMs: number } | undefined

  async function get(): Promise<string> {
    if (!held || held.goodUntilMs <= now()) held = begin()
    const mine = held
    try {
      return (await mine.fetched).token
    } catch (error) {
      if (held === mine) held = undefined
      throw error
    }
  }

  function begin(): NonNullable<typeof held> {
    // The fetch has a timer of its own: it serves all who wait, of whom the first may have waited longer.
    const fetched = inTime(timeoutMs, fetchToken).then(({ token, seconds }) => {
      begun.goodUntilMs = now() + seconds * 1000 - sparedMs
      return { token }
    })
    const begun = { fetched, goodUntilMs: Number.POSITIVE_INFINITY }
    return begun
  }

  async function fetchToken(signal: AbortSignal): Promise<{ token: string; seconds: number }> {
    const issuedAt = Math.floor(now() / 1000)
    const assertion = await new SignJWT({ scope })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
      .setIssuer(account.clientEmail)
      .setAudience(account.tokenUri)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + assertionSeconds)
      .sign(await importPKCS8(account.privateKey, 'RS256'))
    const response = await fetch(account.tokenUri, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }),
      signal,
    })
    const text = await answerText(response)
    if (!response.ok) throw new Error(`no access token: ${response.status} ${text.slice(0, 200)}`)
    const { access_token, expires_in } = JSON.parse(text) as { access_token: string; expires_in: number }
    return { token: access_token, seconds: expires_in }
  }

  function forget(): void {
    held = undefined
  }

  return { get, forget }
}
