import { errors } from 'jose'
import { ChatError } from '../../protocol/errors.ts'

/** Why a token was refused, for the log and for development mode. It quotes nothing that the token says. */
export type TokenFault = {
  /** Which claim is at fault; undefined if the token as a whole is at fault. */
  claim?: string
  reason: string
}

/** In a word, for the metrics. */
type TokenFaultKind = 'malformed' | 'invalid' | 'expired' | 'banned'

/** An error whose message says no more than a stranger may know. */
export class RefusedToken extends ChatError {
  readonly kind: TokenFaultKind
  readonly fault: TokenFault
  /** The reason of the close frame that ends a socket. */
  readonly closeReason: string

  constructor(message: string, kind: TokenFaultKind, fault: TokenFault, cause?: unknown, explanation = '') {
    super('UNAUTHENTICATED', message, {}, { cause })
    this.kind = kind
    this.fault = fault
    this.closeReason = `Token ${kind === 'banned' ? 'invalid' : kind}${explanation}`
  }

  /** Returns the error for a developer, which gives the reason. */
  explained(): RefusedToken {
    const { reason } = this.fault
    return new RefusedToken(`The token was refused: ${reason}.`, this.kind, this.fault, this.cause, `: ${reason}`)
  }
}

export const malformedToken = (): RefusedToken =>
  new RefusedToken('Expected "authorization: Bearer <token>".', 'malformed', {
    reason: 'expected "authorization: Bearer <token>"',
  })

export const tokenWithoutExpiry = (): RefusedToken =>
  new RefusedToken('The token has no "exp".', 'invalid', { claim: 'exp', reason: '"exp" must be a number' })

export const tokenWithoutUserId = (claim: string): RefusedToken =>
  new RefusedToken(`The token's "${claim}" is not a user id.`, 'invalid', {
    claim,
    reason:
      `"${claim}" is not a user id, and AUTH_USER_CLAIM can name another claim; ` +
      'a user id is 1 to 128 of A-Z a-z 0-9 . _ @ | : - and does not start with dm_, grp_ or msg_',
  })

/** Turns an error of jose into a refusal. */
export function refusedByJose(error: unknown): RefusedToken {
  if (error instanceof errors.JWTExpired)
    return new RefusedToken('The token has expired.', 'expired', faultOf(error), error)
  return new RefusedToken('The token is not valid.', 'invalid', faultOf(error), error)
}

function faultOf(error: unknown): TokenFault {
  if (error instanceof errors.JWTExpired) return { claim: 'exp', reason: '"exp" has passed' }
  if (error instanceof errors.JWTClaimValidationFailed) {
    const { claim, reason } = error
    return { claim, reason: claimReason(claim, reason) }
  }
  if (error instanceof errors.JWSSignatureVerificationFailed)
    return { reason: 'it is signed with another key than that of AUTH_JWT_SECRET or AUTH_JWKS_URL' }
  if (error instanceof errors.JWKSNoMatchingKey) return { reason: 'AUTH_JWKS_URL has no key that fits it' }
  if (error instanceof errors.JOSEAlgNotAllowed) return { reason: 'its key does not allow its "alg"' }
  return { reason: 'it is not a JWT that can be read' }
}

const failedChecks: Readonly<Record<string, string>> = {
  nbf: '"nbf" is still to come',
  iss: '"iss" is not AUTH_ISSUER',
  aud: '"aud" does not hold AUTH_AUDIENCE',
}

function claimReason(claim: string, reason: string): string {
  if (reason === 'missing') return `"${claim}" is missing`
  if (reason === 'invalid') return `"${claim}" must be a number`
  return failedChecks[claim] ?? `"${claim}" is not valid`
}
