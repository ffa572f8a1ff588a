import { createClient } from 'graphql-ws'
import WebSocket from 'ws'
import { ApiError, signToken } from './person.ts'

export type Service = Awaited<ReturnType<typeof createService>>
type Answer = { data?: unknown; errors?: { message: string; extensions?: Record<string, unknown> }[] }

/** A backend with a token, which talks to the admin API of a node as its services would. */
export async function createService(
  serviceId: string,
  url: string,
  { scope = 'parley:admin' }: { scope?: string } = {},
) {
  const token = await signToken(serviceId, { scope })
  const authorization = `Bearer ${token}`

  async function overHttp(query: string, variables: object): Promise<Answer> {
    const response = await fetch(`${url}/admin/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization },
      body: JSON.stringify({ query, variables }),
    })
    return (await response.json()) as Answer
  }

  async function overWs(query: string, variables: object): Promise<Answer> {
    const client = createClient({
      url: `${url.replace('http', 'ws')}/admin/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { authorization },
      retryAttempts: 0,
    })
    const results = client.iterate({ query, variables: variables as Record<string, unknown> })
    try {
      for await (const result of results) return result as Answer
      throw new Error('The operation ended without a result')
    } finally {
      await client.dispose()
    }
  }

  /** Subscribes, and hands over what comes until it is stopped. Rejects where the subscription fails. */
  async function* watch<Data>(query: string, variables: object = {}): AsyncGenerator<Data, void> {
    const client = createClient({
      url: `${url.replace('http', 'ws')}/admin/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { authorization },
      retryAttempts: 0,
    })
    try {
      for await (const { data, errors } of client.iterate({ query, variables: variables as Record<string, unknown> })) {
        if (errors?.[0]) throw new ApiError(errors[0])
        yield data as Data
      }
    } catch (error) {
      throw Array.isArray(error) ? new ApiError(error[0]) : error
    } finally {
      await client.dispose()
    }
  }

  return {
    serviceId,
    token,
    watch,
    async ask<Data>(query: string, variables: object = {}, via: 'http' | 'ws' = 'http'): Promise<Data> {
      const { data, errors } = await (via === 'ws' ? overWs : overHttp)(query, variables)
      if (errors?.[0]) throw new ApiError(errors[0])
      return data as Data
    },
  }
}
