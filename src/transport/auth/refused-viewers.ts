import type { RefusedViewers } from '../../ports/restrictions.ts'
import type { Authenticate } from './auth.ts'
import { RefusedToken, type TokenFault } from './refused-token.ts'

/**
 * Refuses users who are banned, and tokens that were revoked, in the words for a token that is not valid: nobody is told the reason, not even in
 * development mode. An address is not limited for it, because others may share it who are not banned.
 */
export const createAuthenticateUnlessRefused =
  (
    authenticate: Authenticate,
    refused: RefusedViewers,
    log: (fault: TokenFault, address?: string) => void,
  ): Authenticate =>
  async (authorization, address) => {
    const viewer = await authenticate(authorization, address)
    if (!viewer || !refused.refuses(viewer)) return viewer
    const error = refusedViewer()
    log(error.fault, address)
    throw error
  }

export const refusedViewer = (): RefusedToken =>
  new RefusedToken('The token is not valid.', 'banned', {
    reason: 'its user is banned, or tokens of its age were revoked',
  })
