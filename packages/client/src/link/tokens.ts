import { networkError } from '../shared/client-error.ts'
import { within } from '../shared/within.ts'

/** Where tokens come from: the application. `refused`: the last one was not accepted any more. */
export type FetchToken = (why: { refused: boolean }) => string | Promise<string>

/** An application that does not answer must not keep us from trying again. */
const tokenWithinMs = 15_000

export type Tokens = ReturnType<typeof createTokens>

/** One token for everybody, until it is refused. */
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

  /** Whether it was still the one in use. */
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
    /** Not accepted any more. Who hears of it late does no harm to the token that has come since. */
    async refuse(token: string): Promise<void> {
      const asked = current
      if (asked === undefined || (await asked.catch(() => undefined)) !== token) return
      if (forget(asked)) refused = true
    },
  }
}
