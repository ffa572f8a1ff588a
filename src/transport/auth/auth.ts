import {
  createRemoteJWKSet,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  type JWTVerifyOptions,
  jwtVerify,
  SignJWT,
} from 'jose'
import { LRUCache } from 'lru-cache'
import type { AuthSettings } from '../../config/config.ts'
import type { Clock } from '../../ports/clock.ts'
import { ChatError, unavailable } from '../../protocol/errors.ts'
import { isUserId, type UserId } from '../../protocol/ids.ts'
import { isInvisible, toLine } from '../../protocol/text.ts'
import type { Viewer } from '../../protocol/viewer.ts'
import { WindowSums } from '../../shared/window-sums.ts'
import { isLoopback } from '../http/client-address.ts'

/**
 * The one door for HTTP, WebSocket and REST: takes the value of an `authorization` header. Nothing given is nobody
 * (undefined); anything but a good token throws UNAUTHENTICATED, and UNAVAILABLE if the keys cannot be fetched. An address that has
 * brought too many bad ones is told RATE_LIMITED, and no token of it is checked that is not known to be good: a signature is work.
 */
export type Authenticate = (authorization: unknown, address?: string) => Promise<Viewer | undefined>

/** How many bad tokens an address may bring in a minute; 0: as many as it likes. */
type BadTokens = { perMinute: number; refused: () => void }

const asymmetricAlgorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]
/** Three parts in the alphabet of base64url; the library would overlook white space and signs of other alphabets. */
const bearer = /^bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i
/** As many as fit into the headers of a request; a WebSocket would take more. */
const tokenMaxChars = 16 * 1024
const keyFetchTimeoutMs = 2000
/** A key that an identity provider takes back is good for so long still. */
const rememberedMs = 60_000
const rememberedMaxChars = 4 * 1024 * 1024
const devTokenDays = 7
/** Longer ones are cut: they are kept, and shown to others. */
const nameMaxCodePoints = 128

/** Refused by HTTP itself, as a bad token is: 429 also where GraphQL would answer 200. */
class TooManyBadTokens extends ChatError {
  readonly status = 429

  constructor(retryAfterMs: number) {
    super('RATE_LIMITED', 'Too many bad tokens came from this address.', { retryAfterMs })
  }
}

const unlimited: BadTokens = { perMinute: 0, refused: () => undefined }

export function createAuthenticate(settings: AuthSettings, clock: Clock, badTokens = unlimited): Authenticate {
  const failures = new WindowSums(60_000)
  const verify = createVerify(settings)
  const insistOn: JWTVerifyOptions = {
    requiredClaims: ['exp', 'sub'],
    ...(settings.issuer && { issuer: settings.issuer }),
    ...(settings.audience && { audience: settings.audience }),
  }
  // A client sends the same token with every request, and a signature takes longer to check than most of them.
  const remembered = new LRUCache<string, { viewer: Viewer; untilMs: number }>({
    maxSize: rememberedMaxChars,
    sizeCalculation: (_viewer, token) => token.length,
  })

  const known = (token: string): Viewer | undefined => {
    const found = remembered.get(token)
    return found && clock.now() < found.untilMs ? found.viewer : undefined
  }

  async function verified(token: string): Promise<Viewer> {
    const nowMs = clock.now()
    const viewer = viewerOf(await verify(token, { ...insistOn, currentDate: new Date(nowMs) }))
    remembered.set(token, { viewer, untilMs: Math.min(nowMs + rememberedMs, viewer.expiresAtMs) })
    return viewer
  }

  async function check(authorization: unknown, token: string | undefined): Promise<Viewer | undefined> {
    if (authorization === undefined || authorization === null) return undefined
    if (token === undefined || token.length > tokenMaxChars)
      throw unauthenticated('Expected "authorization: Bearer <token>".')
    return verified(token)
  }

  function assertPatience(address: string): void {
    if (failures.of(address, clock.monotonic()) < badTokens.perMinute) return
    badTokens.refused()
    throw new TooManyBadTokens(failures.leftMs(clock.monotonic()))
  }

  return async (authorization, address = '') => {
    const [, token] = (typeof authorization === 'string' && bearer.exec(authorization)) || []
    const viewer = token === undefined ? undefined : known(token)
    if (viewer) return viewer
    const isCounted = badTokens.perMinute > 0 && authorization != null && !isLoopback(address)
    if (isCounted) assertPatience(address)
    try {
      return await check(authorization, token)
    } catch (error) {
      const isBad = error instanceof ChatError && error.code === 'UNAUTHENTICATED'
      if (isCounted && isBad) failures.add(address, 1, clock.monotonic())
      throw error
    }
  }
}

export const unauthenticated = (message: string, cause?: unknown): ChatError =>
  new ChatError('UNAUTHENTICATED', message, {}, { cause })

export type DevTokens = { issue(userId: UserId, name?: string): Promise<string> }

/** Development mode signs its own tokens. */
export function createDevTokens(secret: Uint8Array, clock: Clock): DevTokens {
  return {
    issue(userId, name) {
      const issuedAtSeconds = Math.floor(clock.now() / 1000)
      return new SignJWT(name === undefined ? {} : { name })
        .setProtectedHeader({ alg: 'HS256' })
        .setSubject(userId)
        .setIssuedAt(issuedAtSeconds)
        .setExpirationTime(issuedAtSeconds + devTokenDays * 24 * 3600)
        .sign(secret)
    },
  }
}

type Verify = (token: string, options: JWTVerifyOptions) => Promise<JWTPayload>

/** The key decides which algorithms are allowed, never the token: a public key is no HMAC secret. */
function createVerify({ secret, jwksUrl }: AuthSettings): Verify {
  const bySecret: Verify | undefined =
    secret && ((token, options) => jwtVerify(token, secret, { ...options, algorithms: ['HS256'] }).then(claims, refuse))
  if (jwksUrl === undefined) return bySecret ?? (() => refuse(new Error('No key is configured.')))
  const keySet = createRemoteJWKSet(new URL(jwksUrl), { timeoutDuration: keyFetchTimeoutMs })
  const byKeySet: Verify = (token, options) =>
    jwtVerify(token, keySet, { ...options, algorithms: asymmetricAlgorithms }).then(claims, (error) =>
      isTokensFault(error) ? refuse(error) : Promise.reject(unavailable(error)),
    )
  return (token, options) => (bySecret && isHmac(token) ? bySecret : byKeySet)(token, options)
}

const claims = ({ payload }: { payload: JWTPayload }): JWTPayload => payload

function refuse(error: unknown): Promise<never> {
  const message = error instanceof errors.JWTExpired ? 'The token has expired.' : 'The token is not valid.'
  return Promise.reject(unauthenticated(message, error))
}

/** Everything else that can go wrong with a key set is about fetching it. */
const isTokensFault = (error: unknown): boolean =>
  error instanceof errors.JOSEError &&
  /^ERR_(JWT|JWS|JWKS_NO_MATCHING|JWKS_MULTIPLE|JOSE_ALG|JOSE_NOT)/.test(error.code)

function isHmac(token: string): boolean {
  try {
    return decodeProtectedHeader(token).alg === 'HS256'
  } catch {
    return false
  }
}

function viewerOf({ sub, exp, name }: JWTPayload): Viewer {
  if (!isUserId(sub)) throw unauthenticated('The token\'s "sub" is not a user id.')
  // 1e999 is a number to JSON, and would be a token for ever.
  if (exp === undefined || !Number.isFinite(exp)) throw unauthenticated('The token has no "exp".')
  const shown = typeof name === 'string' ? nameOf(name) : undefined
  return { userId: sub, expiresAtMs: exp * 1000, ...(shown !== undefined && { name: shown }) }
}

/** A token is not refused for its name: what others must not be shown is taken out, and a name of nothing else is none. */
function nameOf(claim: string): string | undefined {
  const line = [...toLine(claim)].slice(0, nameMaxCodePoints).join('')
  return isInvisible(line) ? undefined : line
}
