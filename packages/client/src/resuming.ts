import type { ClientOptions } from 'graphql-ws'
import { backoffMs } from './shared/backoff.ts'

// graphql-ws subscribes again by itself when its socket was closed, but with the variables it began with. It would then get what the user's
// devices have not acked, which is not what this device is missing. So positions are read from what comes in, and put into what goes out:
// the replacer of its JSON sees each message before it is sent, those of a retry included.

/** So many fit into one frame. Those that were seen last count. */
const positionsMax = 800

type Position = { conversationId: string; seq: number }
type Seen = { conversationId?: string; seq?: number }
type Event = { seq?: number; message?: Seen; messageEdge?: { node?: Seen } }
type Events = { messageAdded?: Event; messageChanged?: Event } | null | undefined
type Subscribe = { id: string; type: 'subscribe'; payload: { variables?: { after?: Position[] } } }

/**
 * Completes options for `createClient` of graphql-ws. Subscriptions to `messageAdded` and `messageChanged` then go on, after each break of
 * the connection, where they were: their variable `$after` is filled in. They have to select `conversationId` and `seq` of the message;
 * `messageChanged` its own `seq` too. The client also tries for as long as it takes to connect again.
 */
export function resuming<Options extends ClientOptions>(options: Options): Options {
  /** The last seq of each conversation, by the id of the operation. */
  const seen = new Map<string, Map<string, number>>()

  function remember(id: string, { messageAdded, messageChanged }: NonNullable<Events>): void {
    const event = messageAdded ?? messageChanged
    const message = event?.message ?? event?.messageEdge?.node
    const seq = messageChanged ? messageChanged.seq : message?.seq
    if (!message?.conversationId || seq === undefined) return
    const positions = seen.get(id) ?? new Map<string, number>()
    seen.set(id, positions)
    positions.delete(message.conversationId)
    positions.set(message.conversationId, seq)
  }

  function resume(message: Subscribe, positions: Map<string, number>): Subscribe {
    const { variables = {} } = message.payload
    const begun = (variables.after ?? []).filter(({ conversationId }) => !positions.has(conversationId))
    const after = [...begun, ...[...positions].map(([conversationId, seq]) => ({ conversationId, seq }))]
    return {
      ...message,
      payload: { ...message.payload, variables: { ...variables, after: after.slice(-positionsMax) } },
    }
  }

  return {
    retryAttempts: Number.POSITIVE_INFINITY,
    shouldRetry: () => true,
    retryWait: (retries) => new Promise((resolve) => setTimeout(resolve, backoffMs(retries + 1, Math.random))),
    // Without it, a connection that has gone silently is noticed only when something is sent.
    keepAlive: 10_000,
    ...options,
    on: {
      ...options.on,
      message(message) {
        if (message.type === 'next' && message.payload.data)
          remember(message.id, message.payload.data as Events & object)
        if (message.type === 'complete' || message.type === 'error') seen.delete(message.id)
        options.on?.message?.(message)
      },
    },
    jsonMessageReplacer(key, value) {
      // The application has unsubscribed.
      if (key === '' && value?.type === 'complete') seen.delete(value.id)
      const positions = key === '' && value?.type === 'subscribe' ? seen.get(value.id) : undefined
      const sent = positions ? resume(value, positions) : value
      return options.jsonMessageReplacer ? options.jsonMessageReplacer.call(this, key, sent) : sent
    },
  }
}
