import { RedisPubSub } from 'graphql-redis-subscriptions'
import type { Redis } from 'ioredis'
import type { RedisLink } from '../../engine/redis/client.ts'

type PubSub = {
  /** Resolves when Redis has confirmed, to a function that unsubscribes. One call at a time for one channel. */
  subscribe(channel: string, onMessage: (parsed: unknown) => void): Promise<() => void>
}

/**
 * RedisPubSub, of which only `subscribe` is used, and awaited. Its async iterator sends SUBSCRIBE no earlier than the first
 * `next()`, so that what is published before is lost, and queues without bound; its `publish` hides who received.
 *
 * It is also kept from failures, because graphql-redis-subscriptions 2.7.0 leaves a rejected promise behind with each: a refused
 * SUBSCRIBE or an UNSUBSCRIBE on a closed link would end the process. So it sees every SUBSCRIBE succeed, and what was refused is taken
 * back. A version that handles the rejections of its own SUBSCRIBE and UNSUBSCRIBE makes this superfluous.
 */
export function createPubSub({ commands, subscriber, onError }: RedisLink): PubSub {
  const refused = new Map<string, unknown>()
  let last = { text: '', event: undefined as unknown }
  // What goes to several people comes once for each, one after the other: they share what it was parsed into.
  const parse = (text: string): unknown => {
    if (text !== last.text) last = { text, event: parseJson(text) }
    return last.event
  }
  const sheltered = {
    on: (name: string, hear: (channel: string, parsed: unknown) => void) =>
      subscriber.on(name, (channel: string, text: string) => hear(channel, parse(text))),
    subscribe(channel: string, done: () => void) {
      subscriber
        .subscribe(channel)
        .catch((error) => refused.set(channel, error))
        .then(() => done())
    },
    unsubscribe: (channel: string) => void subscriber.unsubscribe(channel).catch(onError),
    punsubscribe: () => undefined,
  }
  const pubSub = new RedisPubSub({ publisher: commands, subscriber: sheltered as unknown as Redis })

  return {
    async subscribe(channel, onMessage) {
      const id = await pubSub.subscribe(channel, onMessage)
      if (!refused.has(channel)) return () => pubSub.unsubscribe(id)
      const error = refused.get(channel)
      refused.delete(channel)
      pubSub.unsubscribe(id)
      throw error
    },
  }
}

/** Undefined where it is no JSON: whoever looks at it reports that. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
