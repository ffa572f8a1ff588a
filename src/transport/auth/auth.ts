import { decodeProtectedHeader, errors, type JWTPayload, type JWTVerifyOptions, jwtVerify, SignJWT } from 'jose'
import { LRUCache } from 'lru-cache'
import type { AuthSettings } from '../../config/config.ts'
import type { SecretList } from '../../config/secret-lists.ts'
import type { Clock } from '../../ports/clock.ts'
import { ChatError, unavailable } from '../../protocol/errors.ts'
import { isUserId, type UserId } from '../../protocol/ids.ts'
import { isInvisible, toLine } from '../../protocol/text.ts'
import type { Viewer } from '../../protocol/viewer.ts'
import { WindowSums } from '../../shared/window-sums.ts'
import { isLoopback } from '../http/client-address.ts'
import type { KeySet } from './key-set.ts'
import {
  malformedToken,
  RefusedToken,
  refusedByJose,
  type TokenFault,
  tokenWithoutExpiry,
  tokenWithoutUserId,
} from './refused-token.ts'

/**
 * Authenticates requests by HTTP, WebSocket and REST, by the value of an `authorization` header. Returns undefined if there is none. Throws
 * UNAUTHENTICATED for anything but a good token, and UNAVAILABLE if the keys cannot be fetched. An address that has sent too many bad tokens
 * gets RATE_LIMITED, and only its tokens that are known to be good are accepted: to check a signature takes CPU.
 */
export type Authenticate = (authorization: unknown, address?: string) => Promise<Viewer | undefined>

/** How many bad tokens an address may send in a minute; 0 means no limit. */
type BadTokens = { perMinute: number; refused: () => void }

/** Says where the reason of a refused token goes. With `toClients`, which only development mode has, clients get it too. */
type Explanations = { toClients: boolean; log: (fault: TokenFault, address?: string) => void }

const asymmetricAlgorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]
/** A token has three parts in the alphabet of base64url; the library would accept white space and characters of other alphabets. */
const bearer = /^bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i
/** This many characters fit into the headers of a request; a WebSocket would take more. */
const tokenMaxChars = 16 * 1024
/** A token is verified again after this long, or when the keys of the identity provider have changed. */
const rememberedMs = 60_000
const rememberedMaxChars = 4 * 1024 * 1024
const devTokenDays = 7
/** Longer names are cut, because they are stored and shown to others. */
const nameMaxCodePoints = 128

/** HTTP itself refuses it, as it does a bad token: with 429, even where GraphQL would answer 200. */
class TooManyBadTokens extends ChatError {
  readonly status = 429

  constructor(retryAfterMs: number) {
    super('RATE_LIMITED', 'Too many bad tokens came from this address.', { retryAfterMs })
  }
}

const unlimited: BadTokens = { perMinute: 0, refused: () => undefined }

const noExplanations: Explanations = { toClients: false, log: () => undefined }

/** `keySet`: the keys of the identity provider, if there is one. */
type AuthenticateOptions = { keySet?: KeySet | undefined; badTokens?: BadTokens; explanations?: Explanations }

export function createAuthenticate(
  settings: Omit<AuthSettings, 'jwksUrl'>,
  clock: Clock,
  { keySet, badTokens = unlimited, explanations = noExplanations }: AuthenticateOptions = {},
): Authenticate {
  const failures = new WindowSums(60_000)
  const verify = createVerify(settings.secrets, keySet)
  const { userClaim = 'sub', clockToleranceSeconds = 0 } = settings
  const insistOn: JWTVerifyOptions = {
    requiredClaims: ['exp', userClaim],
    clockTolerance: clockToleranceSeconds,
    ...(settings.issuer && { issuer: settings.issuer }),
    ...(settings.audience && { audience: settings.audience }),
  }
  // A client sends the same token with every request, and a signature takes longer to check than most of them.
  const remembered = new LRUCache<string, { viewer: Viewer; untilMs: number; keys: number | undefined }>({
    maxSize: rememberedMaxChars,
    sizeCalculation: (_viewer, token) => token.length,
  })

  const known = (token: string): Viewer | undefined => {
    const found = remembered.get(token)
    return found && clock.now() < found.untilMs && found.keys === keySet?.version() ? found.viewer : undefined
  }

  async function verified(token: string): Promise<Viewer> {
    const nowMs = clock.now()
    const keys = keySet?.version()
    const claims = viewerOf(await verify(token, { ...insistOn, currentDate: new Date(nowMs) }), userClaim)
    // By this node's clock the token may have expired, and be accepted still.
    const toleratedMs = claims.expiresAtMs <= nowMs ? clockToleranceSeconds * 1000 : 0
    const viewer = { ...claims, expiresAtMs: claims.expiresAtMs + toleratedMs }
    remembered.set(token, { viewer, untilMs: Math.min(nowMs + rememberedMs, viewer.expiresAtMs), keys })
    return viewer
  }

  async function check(authorization: unknown, token: string | undefined): Promise<Viewer | undefined> {
    if (authorization === undefined || authorization === null) return undefined
    if (token === undefined || token.length > tokenMaxChars) throw malformedToken()
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
      if (!(error instanceof RefusedToken)) throw error
      if (isCounted) failures.add(address, 1, clock.monotonic())
      explanations.log(error.fault, address)
      throw explanations.toClients ? error.explained() : error
    }
  }
}

export const unauthenticated = (message: string): ChatError => new ChatError('UNAUTHENTICATED', message)

/** With a `scope`, it is the token of a service. */
export type DevTokens = { issue(userId: UserId, claims?: { name?: string; scope?: string }): Promise<string> }

/** Development mode signs its own tokens. */
export function createDevTokens(secret: Uint8Array, clock: Clock): DevTokens {
  return {
    issue(userId, claims = {}) {
      const issuedAtSeconds = Math.floor(clock.now() / 1000)
      return new SignJWT(claims)
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
function createVerify(secrets: SecretList | undefined, keySet: KeySet | undefined): Verify {
  const bySecret = secrets && createVerifyBySecrets(secrets)
  if (!keySet) return bySecret ?? (() => refuse(new Error('No key is configured.')))
  const byKeySet: Verify = (token, options) =>
    jwtVerify(token, keySet.find, { ...options, algorithms: asymmetricAlgorithms }).then(claims, (error) =>
      isTokensFault(error) ? refuse(error) : Promise.reject(unavailable(error)),
    )
  return (token, options) => (bySecret && isHmac(token) ? bySecret : byKeySet)(token, options)
}

/** Most tokens are of the first secret. */
const createVerifyBySecrets =
  (secrets: SecretList): Verify =>
  async (token, options) => {
    let refusal: unknown
    for (const secret of secrets) {
      try {
        return claims(await jwtVerify(token, secret, { ...options, algorithms: ['HS256'] }))
      } catch (error) {
        refusal = error
        if (!(error instanceof errors.JWSSignatureVerificationFailed)) break
      }
    }
    throw refusedByJose(refusal)
  }

const claims = ({ payload }: { payload: JWTPayload }): JWTPayload => payload

const refuse = (error: unknown): Promise<never> => Promise.reject(refusedByJose(error))

/** All other errors of a key set are about fetching it. */
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

function viewerOf(payload: JWTPayload, userClaim: string): Viewer {
  const { exp, iat, name, scope, [userClaim]: userId } = payload
  if (!isUserId(userId)) throw tokenWithoutUserId(userClaim)
  // 1e999 is a number to JSON, and would be a token for ever.
  if (exp === undefined || !Number.isFinite(exp)) throw tokenWithoutExpiry()
  const shown = typeof name === 'string' ? nameOf(name) : undefined
  return {
    userId,
    expiresAtMs: exp * 1000,
    ...(Number.isFinite(iat) && { issuedAtMs: Number(iat) * 1000 }),
    ...(shown !== undefined && { name: shown }),
    ...(scope !== undefined && { scopes: typeof scope === 'string' ? scope.split(' ') : [] }),
  }
}

/** A token is not refused for its name: characters that others must not be shown are removed, and an empty name counts as none. */
function nameOf(claim: string): string | undefined {
  const line = [...toLine(claim)].slice(0, nameMaxCodePoints).join('')
  return isInvisible(line) ? undefined : line
}
