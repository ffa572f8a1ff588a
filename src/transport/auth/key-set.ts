// The keys of the identity provider at AUTH_JWKS_URL.
//
//   fetched     at the start, every minute (every five seconds while it fails), and at once for a token whose key is not among them
//   kept        for as long as the provider does not answer: whoever has a token goes on
//   withdrawn   what a fetch does not find any more is refused from then on
//
// Anybody can make a token that names a key nobody has, so the fetches for the sake of a token are bounded.

import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from 'jose'
import type { Clock } from '../../ports/clock.ts'
import { TokenBuckets } from '../../shared/token-buckets.ts'

export type KeySet = {
  /** Finds the key of a token. Throws JWKSNoMatchingKey if there is none, and what a fetch has failed with if that cannot be known. */
  find: JWTVerifyGetKey
  /** Another number whenever the keys are others: what was verified before has to be verified again. */
  version(): number
  state(): { keys: number; ageMs: number | undefined }
  start(): void
  stop(): void
}

export type KeyFetchFailure = 'timeout' | 'connection' | 'status' | 'invalid'
export const keyFetchFailures: readonly KeyFetchFailure[] = ['timeout', 'connection', 'status', 'invalid']

/** Is told of every fetch: what it failed with, if it did. */
export type KeyFetchObserver = (failure?: { reason: KeyFetchFailure; detail: string }) => void

type KeySetOptions = { url: string; clock: Clock; observer?: KeyFetchObserver }

export const refreshMs = 60_000
const retryMs = 5000
const fetchTimeoutMs = 2000
/** Tokens with unknown keys bring about so many fetches at once, and then one every five seconds. */
const fetchesForTokens = { burst: 5, perMs: 1 / 5000 }

export function createKeySet({ url, clock, observer = () => undefined }: KeySetOptions): KeySet {
  const published = createRemoteJWKSet(new URL(url), {
    timeoutDuration: fetchTimeoutMs,
    // It is asked to fetch, and never decides to.
    cacheMaxAge: Number.POSITIVE_INFINITY,
    cooldownDuration: Number.POSITIVE_INFINITY,
    [customFetch]: fetchWell,
  })
  const forTokens = new TokenBuckets(() => clock.monotonic())
  const stopped = new AbortController()
  let fetching: Promise<void> | undefined
  let failure: unknown
  let fetchedAtMs: number | undefined
  let version = 0
  let text = ''

  function fetchKeys(): Promise<void> {
    fetching ??= published
      .reload()
      .then(fetched, failed)
      .finally(() => {
        fetching = undefined
      })
    return fetching
  }

  function fetched(): void {
    fetchedAtMs = clock.monotonic()
    failure = undefined
    const now = JSON.stringify(published.jwks())
    if (now !== text) version += 1
    text = now
    observer()
  }

  function failed(error: unknown): never {
    failure = error
    observer({ reason: reasonOf(error), detail: detailOf(error) })
    throw error
  }

  async function refreshRegularly(): Promise<void> {
    while (!stopped.signal.aborted) {
      // The observer has heard of a failure.
      const isFetched = await fetchKeys().then(
        () => true,
        () => false,
      )
      await clock.sleep(isFetched ? refreshMs : retryMs, stopped.signal)
    }
  }

  /** Fetches the keys for a token whose key is not among them, unless too many such tokens came. */
  async function fetchForAToken(): Promise<void> {
    const mayFetch = fetching !== undefined || forTokens.take('', 1, 1, fetchesForTokens).tokens > 0
    if (mayFetch) await fetchKeys()
    else if (failure) throw failure
  }

  const lookUp: LookUp = async (header, token) => {
    if (fetchedAtMs === undefined) return undefined
    try {
      return await published(header, token)
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey) return undefined
      throw error
    }
  }

  return {
    async find(header, token) {
      let found = await lookUp(header, token)
      // A fetch that is under way may have begun before the provider published the key: then there is another.
      const fetches = fetching === undefined ? 1 : 2
      for (let i = 0; i < fetches && !found; i += 1) {
        await fetchForAToken()
        found = await lookUp(header, token)
      }
      if (!found) throw new errors.JWKSNoMatchingKey()
      return found
    },
    version: () => version,
    state: () => ({
      keys: published.jwks()?.keys.length ?? 0,
      ageMs: fetchedAtMs === undefined ? undefined : clock.monotonic() - fetchedAtMs,
    }),
    start: () => void refreshRegularly(),
    stop: () => stopped.abort(),
  }
}

type Find = ReturnType<typeof createRemoteJWKSet>
type LookUp = (...token: Parameters<Find>) => Promise<Awaited<ReturnType<Find>> | undefined>

class BadStatus extends Error {}

/** The library does not say which status it has got. */
const fetchWell: typeof fetch = async (...request) => {
  const response = await fetch(...request)
  if (response.status !== 200) throw new BadStatus(`status ${response.status}`)
  return response
}

function reasonOf(error: unknown): KeyFetchFailure {
  if (error instanceof BadStatus) return 'status'
  if (isTimeout(error) || (error instanceof Error && isTimeout(error.cause))) return 'timeout'
  return error instanceof errors.JOSEError ? 'invalid' : 'connection'
}

const isTimeout = (error: unknown): boolean =>
  error instanceof errors.JWKSTimeout || (error instanceof Error && error.name === 'TimeoutError')

/** Quotes nothing that the provider says. */
function detailOf(error: unknown): string {
  if (error instanceof BadStatus) return error.message
  const cause = error instanceof Error ? error.cause : undefined
  if (isTimeout(error) || isTimeout(cause)) return `no answer within ${fetchTimeoutMs} ms`
  if (cause instanceof Error && 'code' in cause) return String(cause.code)
  return error instanceof errors.JOSEError ? 'not a JSON Web Key Set' : 'the connection failed'
}
