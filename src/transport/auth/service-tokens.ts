import { ChatError } from '../../protocol/errors.ts'
import { type Authenticate, unauthenticated } from './auth.ts'

/** The scope that opens the admin API. */
export const adminScope = 'parley:admin'

/** HTTP itself answers with the status, as it does to a bad token, whatever media type the client accepts. */
class Refused extends ChatError {
  readonly status: number

  constructor(code: 'NOT_FOUND' | 'FORBIDDEN', status: number, message: string) {
    super(code, message)
    this.status = status
  }
}

/** A user's token finds nothing at the path of the admin API, as at any path that does not exist. */
export class NotForUsers extends Refused {
  constructor() {
    super('NOT_FOUND', 404, 'There is nothing at this path.')
  }
}

/**
 * Accepts the tokens of services alone. A token with a `scope` is a service's, one without is a user's: users are not told that there is an
 * admin API.
 */
export const createAuthenticateService =
  (authenticate: Authenticate): Authenticate =>
  async (authorization, address) => {
    const viewer = await authenticate(authorization, address)
    if (!viewer) throw unauthenticated('Expected "authorization: Bearer <token>".')
    if (viewer.scopes === undefined) throw new NotForUsers()
    if (!viewer.scopes.includes(adminScope)) {
      throw new Refused('FORBIDDEN', 403, `The token's "scope" does not hold ${adminScope}.`)
    }
    return viewer
  }
