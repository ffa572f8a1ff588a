import { networkError } from './client-error.ts'

/** Where tokens come from: the application. `refused`: the last one was not accepted any more. */
export type FetchToken = (why: { refused: boolean }) => string | Promise<string>

export type Tokens = ReturnType<typeof createTokens>

/** One token for everybody, until it is refused. */
export function createTokens(fetchToken: FetchToken) {
  let current: Promise<string> | undefined
  let refused = false

  async function fetchOne(): Promise<string> {
    try {
      const token = await fetchToken({ refused })
      refused = false
      return token
    } catch (error) {
      current = undefined
      throw networkError('The application could not provide a token.', error)
    }
  }

  return {
    get(): Promise<string> {
      current ??= fetchOne()
      return current
    },
    /** Not accepted any more. Who hears of it late does no harm to the token that has come since. */
    async refuse(token: string): Promise<void> {
      if (current === undefined || (await current.catch(() => undefined)) !== token) return
      current = undefined
      refused = true
    },
  }
}
