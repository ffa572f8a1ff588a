import { resuming } from '@parley/client/resuming'
import { GraphQLClient } from 'graphql-request'
import { createClient as createSseClient } from 'graphql-sse'
import { createClient as createWsClient } from 'graphql-ws'
import { WebSocket } from 'ws'
import type { Data, Variables, Wire } from './plain-chat.ts'
import type { ChatOptions } from './small-chat.ts'

const httpOf = (url: string): string => url.replace('ws', 'http')

export function overGraphqlWs({ url, token }: ChatOptions, onReconnected: () => void): Wire {
  const client = createWsClient(
    resuming({
      url,
      webSocketImpl: WebSocket,
      connectionParams: () => ({ authorization: `Bearer ${token()}` }),
      on: { connected: (_socket, _payload, again) => again && onReconnected() },
    }),
  )
  return {
    async ask(query, variables) {
      for await (const { data, errors } of client.iterate<Data>({ query, variables })) {
        if (errors) throw errors[0]
        return data
      }
    },
    follow: (query, variables, onData) =>
      void client.subscribe<Data>(
        { query, variables },
        { next: ({ data }) => onData(data), error: () => undefined, complete: () => undefined },
      ),
    close: () => client.dispose(),
  }
}

export function overGraphqlRequest({ url, token }: ChatOptions): Wire {
  const client = new GraphQLClient(httpOf(url), { headers: () => ({ authorization: `Bearer ${token()}` }) })
  return { ask: (query, variables) => client.request(query, variables), close: () => undefined }
}

/** Streams by graphql-sse, and everything else by graphql-request. */
export function overGraphqlSse(options: ChatOptions, onReconnected: () => void): Wire {
  const headers = () => ({ authorization: `Bearer ${options.token()}` })
  const client = createSseClient({
    url: httpOf(options.url),
    headers,
    retryAttempts: Number.POSITIVE_INFINITY,
    on: { connected: (again) => again && onReconnected() },
  })
  return {
    ask: overGraphqlRequest(options).ask,
    follow(query, variables, onData) {
      const current = { ...variables }
      client.subscribe<Data>(
        { query, variables: current },
        {
          next({ data }) {
            // It sends these variables again when it connects again.
            if (data) current.after = advanced(current.after, data) ?? current.after
            if (data) onData(data)
          },
          error: () => undefined,
          complete: () => undefined,
        },
      )
    },
    close: () => client.dispose(),
  }
}

/** The positions after this event, of a stream that has some. */
function advanced(after: unknown, { messageAdded, messageChanged }: Data): Variables[] | undefined {
  const event = messageAdded ?? messageChanged
  if (!event) return undefined
  const { conversationId, seq } = event.message
  const others = ((after ?? []) as Variables[]).filter((position) => position.conversationId !== conversationId)
  return [...others, { conversationId, seq: messageChanged ? messageChanged.seq : seq }]
}
