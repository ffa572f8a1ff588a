import { ClientError, errorFromGraphQL, networkError } from '../shared/client-error.ts'
import type { Ask } from './link.ts'
import type { Tokens } from './tokens.ts'

const answerWithinMs = 10_000

export type HttpOptions = { url: () => string; tokens: Tokens; fetch: typeof fetch }

/** Runs operations by POST. A refused token is replaced once. */
export function createHttp({ url, tokens, fetch }: HttpOptions): Ask {
  return async (document, variables) => {
    const body = JSON.stringify({ query: String(document), variables })
    const token = await tokens.get()
    try {
      return await post(token, body)
    } catch (error) {
      if (!(error instanceof ClientError) || error.code !== 'UNAUTHENTICATED') throw error
      await tokens.refuse(token)
      return post(await tokens.get(), body)
    }
  }

  async function post<R>(token: string, body: string): Promise<R> {
    const patience = new AbortController()
    const timer = setTimeout(() => patience.abort(), answerWithinMs)
    try {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
      const response = await fetch(url(), { method: 'POST', headers, body, signal: patience.signal })
      const { data, errors } = (await readJson(response)) as { data?: R; errors?: unknown[] }
      if (errors?.[0]) throw errorFromGraphQL(errors[0])
      if (!data) throw networkError(`The server answered with status ${response.status} and no data.`)
      return data
    } catch (error) {
      throw error instanceof ClientError ? error : networkError('The server did not answer.', error)
    } finally {
      clearTimeout(timer)
    }
  }
}

export async function readJson(response: Response): Promise<object> {
  const text = await response.text()
  try {
    return Object(JSON.parse(text))
  } catch {
    throw networkError(`The server answered with status ${response.status}, not in JSON.`)
  }
}
