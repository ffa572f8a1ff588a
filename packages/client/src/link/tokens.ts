import { networkError } from '../shared/client-error.ts'
import { within } from '../shared/within.ts'

/** Gets a token from the application. `refused` says that the server no longer accepts the last one. */
export type FetchToken = (why: { refused: boolean }) => string | Promise<string>

/** If the application does not answer in time, the client tries again. */
const tokenWithinMs = 15_000

export type Tokens = ReturnType<typeof createTokens>

/** Shares one token between all transports until it is refused. */
export function createTokens(fetchToken: FetchToken) {
  let current: Promise<string> | undefined
  let refused = false

  async function fetchOne(): Promise<string> {
    try {
      const token = await within(tokenWithinMs, Promise.resolve(fetchToken({ refused })))
      refused = false
      return token
    } catch (error) {
      throw networkError('The application could not provide a token.', error)
    }
  }

  /** Returns whether it was still the token in use. */
  function forget(asked: Promise<string>): boolean {
    if (current !== asked) return false
    current = undefined
    return true
  }

  return {
    get(): Promise<string> {
      if (current !== undefined) return current
      const asked = fetchOne()
      current = asked
      asked.catch(() => forget(asked))
      return asked
    },
    /** Drops a token that the server no longer accepts. A late refusal does not drop a newer token. */
    async refuse(token: string): Promise<void> {
      const asked = current
      if (asked === undefined || (await asked.catch(() => undefined)) !== token) return
      if (forget(asked)) refused = true
    },
  }
}
