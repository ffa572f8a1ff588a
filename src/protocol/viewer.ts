import type { UserId } from './ids.ts'

/**
 * The user who makes a request, as their token says; at the admin API, the service. `issuedAtMs`: when the token says it was issued, if it does.
 * `scopes`: what the token's `scope` names, if it has one, which only the tokens of services do.
 */
export type Viewer = {
  userId: UserId
  name?: string
  issuedAtMs?: number
  expiresAtMs: number
  scopes?: readonly string[]
}
