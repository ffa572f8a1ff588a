import { RedisPubSub } from 'graphql-redis-subscriptions'
import type { Redis } from 'ioredis'
import type { RedisLink } from '../../engine/redis/client.ts'

type PubSub = {
  /** Resolves, when Redis has confirmed, to a function that unsubscribes. There is one call at a time for one channel. */
  subscribe(channel: string, onMessage: (parsed: unknown) => void): Promise<() => void>
}

/**
 * Wraps RedisPubSub, of which only `subscribe` is used, and awaited. Its async iterator sends SUBSCRIBE no earlier than the first `next()`, so
 * that what is published before is lost, and it queues without bound; its `publish` hides how many received.
 *
 * The wrapper also hides failures from it, because graphql-redis-subscriptions 2.7.0 leaves an unhandled rejection behind with each: a refused
 * SUBSCRIBE or an UNSUBSCRIBE on a closed link would end the process. So RedisPubSub sees every SUBSCRIBE succeed, and a refused one is undone
 * here. A version that handles the rejections of its own SUBSCRIBE and UNSUBSCRIBE makes this superfluous.
 */
export function createPubSub({ commands, subscriber, onError }: RedisLink): PubSub {
  const refused = new Map<string, unknown>()
  let last = { text: '', event: undefined as unknown }
  // An event for several users comes once for each, one after the other, so they share the parsed object.
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

/** Returns undefined if the text is no JSON; the decoder then reports it. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
