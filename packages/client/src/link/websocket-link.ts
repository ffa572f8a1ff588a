import { createClient } from 'graphql-ws'
import { ClientError, errorFromGraphQL, networkError } from '../shared/client-error.ts'
import { type Ask, type Follow, type Link, openWithinMs } from './link.ts'
import type { Tokens } from './tokens.ts'

const pingEveryMs = 10_000
const pongWithinMs = 5000
const tokenRefused = 4403

export type WebSocketLinkOptions = { url: () => string; tokens: Tokens; webSocket: typeof WebSocket | undefined }

export async function openWebSocketLink({ url, tokens, webSocket }: WebSocketLinkOptions): Promise<Link> {
  const WebSocketImpl = webSocket ?? globalThis.WebSocket
  if (!WebSocketImpl) throw networkError('There is no WebSocket here; hand one in.')
  const address = new URL(url().replace(/^http/, 'ws')).href
  const token = await tokens.get()
  /** A socket that is closed before it opens emits an error event, which Node throws if it has no listener. */
  class Socket extends WebSocketImpl {
    constructor(...args: ConstructorParameters<typeof WebSocket>) {
      super(...args)
      this.addEventListener('error', () => undefined)
    }
  }
  return new Promise((resolve, reject) => {
    let resolveGone: (error: ClientError) => void = () => undefined
    const gone = new Promise<ClientError>((told) => {
      resolveGone = told
    })
    /** After the end, another operation would make graphql-ws open a socket that no link owns. */
    let over = false
    const end = (error: ClientError) => {
      over = true
      clearTimeout(opening)
      clearTimeout(pong)
      reject(error)
      resolveGone(error)
    }
    const opening = setTimeout(() => {
      end(networkError('No WebSocket could be opened in time.'))
      client.terminate()
    }, openWithinMs)
    let pong: ReturnType<typeof setTimeout> | undefined
    const client = createClient({
      url: address,
      webSocketImpl: Socket,
      connectionParams: { authorization: `Bearer ${token}` },
      lazy: false,
      retryAttempts: 0,
      keepAlive: pingEveryMs,
      // `closed` below reports it.
      onNonLazyError: () => undefined,
      on: {
        connected() {
          clearTimeout(opening)
          resolve({ via: 'websocket', ask, follow, gone, close: () => void client.dispose() })
        },
        // Only a missing pong reveals a connection that died silently.
        ping(received) {
          if (!received) pong = setTimeout(() => client.terminate(), pongWithinMs)
        },
        pong(received) {
          if (received) clearTimeout(pong)
        },
        error() {
          over = true
        },
        async closed(event) {
          over = true
          const { code } = event as { code?: number }
          if (code === tokenRefused) await tokens.refuse(token)
          end(closedError(event))
        },
      },
    })

    const ask: Ask = (document, variables) =>
      new Promise((answer, fail) => {
        if (over) return fail(networkError('The WebSocket is closed.'))
        client.subscribe(operation(document, variables), {
          next: ({ data, errors }) => (errors?.[0] ? fail(errorFromGraphQL(errors[0])) : answer(data as never)),
          error: (error) => fail(unanswered(error)),
          complete: () => fail(networkError('The server gave no answer.')),
        })
      })

    const follow: Follow = (document, variables, sink) => {
      let stopped = false
      let unsubscribe: () => void = () => undefined
      const stop = () => {
        stopped = true
        unsubscribe()
      }
      const end = (error: ClientError) => {
        if (stopped) return
        stop()
        sink.end(error)
      }
      if (over) void Promise.resolve().then(() => end(networkError('The WebSocket is closed.')))
      else {
        unsubscribe = client.subscribe(operation(document, variables), {
          next: ({ data, errors }) => {
            if (stopped) return
            if (errors?.[0]) end(errorFromGraphQL(errors[0]))
            else sink.event(data as never)
          },
          error: (error) => end(failureOf(error)),
          complete: () => end(networkError('The server ended the stream.')),
        })
      }
      return stop
    }
  })
}

const operation = (document: { toString(): string }, variables: unknown) => ({
  query: document.toString(),
  variables: variables as Record<string, unknown>,
})

/** Converts what graphql-ws reports: the payload of an error message, a close event, or an error. */
function failureOf(reported: unknown): ClientError {
  return Array.isArray(reported) ? errorFromGraphQL(reported[0]) : closedError(reported)
}

/** However the socket ended, the operation was not answered, so it may be sent over another transport. */
function unanswered(reported: unknown): ClientError {
  return Array.isArray(reported) ? failureOf(reported) : networkError(closedError(reported).message, reported)
}

function closedError(reported: unknown): ClientError {
  const { code, reason } = (reported ?? {}) as { code?: number; reason?: string }
  if (code === tokenRefused) {
    return new ClientError('The token was not accepted.', { code: 'UNAUTHENTICATED', retryable: false })
  }
  return networkError(`The WebSocket was closed${code ? ` (${code}${reason ? ` ${reason}` : ''})` : ''}.`, reported)
}
