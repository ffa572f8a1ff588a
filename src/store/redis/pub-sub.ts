import { RedisPubSub } from 'graphql-redis-subscriptions'
import type { Redis } from 'ioredis'
import type { RedisLink } from '../../engine/redis/client.ts'
import type { PlainListener } from '../../engine/redis/plain-listener.ts'
import type { ShardedListener } from '../../engine/redis/sharded-listener.ts'
import { gate } from './gate.ts'

export type ChannelHandler = {
  message(parsed: unknown): void
  /** What is published from now on may not be heard, until `restored`. */
  lost(): void
  restored(): void
}

export type PubSub = {
  /** Resolves, when Redis has confirmed, to a function that unsubscribes. There is one call at a time for one channel. */
  subscribe(channel: string, handler: ChannelHandler): Promise<() => void>
}

/** On a single Redis all is published plain. On a cluster it is published in shards, or, while it moves from one to the other, both are heard. */
export function createPubSub({ plain, sharded, commands, onError }: RedisLink): PubSub {
  const parse = createParser()
  const kinds = [
    ...(plain ? [createPlainPubSub(plain, commands as Redis, parse, onError)] : []),
    ...(sharded ? [createShardedPubSub(sharded, parse)] : []),
  ]
  const [only] = kinds
  return only && kinds.length === 1 ? only : hearAll(kinds)
}

const createShardedPubSub = (sharded: ShardedListener, parse: (text: string) => unknown): PubSub => ({
  subscribe: (channel, handler) =>
    sharded.subscribe(channel, {
      message: (text) => handler.message(parse(text)),
      lost: () => handler.lost(),
      restored: () => handler.restored(),
    }),
})

/**
 * Wraps RedisPubSub, of which only `subscribe` is used, and awaited. Its async iterator sends SUBSCRIBE no earlier than the first `next()`, so
 * that what is published before is lost, and it queues without bound; its `publish` hides how many received.
 *
 * The wrapper also hides failures from it, because graphql-redis-subscriptions 2.7.0 leaves an unhandled rejection behind with each: a refused
 * SUBSCRIBE or an UNSUBSCRIBE on a closed link would end the process. So RedisPubSub sees every SUBSCRIBE succeed, and a refused one is undone
 * here. A version that handles the rejections of its own SUBSCRIBE and UNSUBSCRIBE makes this superfluous.
 */
function createPlainPubSub(
  { subscriber, watch }: PlainListener,
  publisher: Redis,
  parse: (text: string) => unknown,
  onError: (error: Error) => void,
): PubSub {
  const refused = new Map<string, unknown>()
  const handlers = new Map<string, ChannelHandler>()
  let connected = gate()
  const sheltered = {
    on: (name: string, hear: (channel: string, parsed: unknown) => void) =>
      subscriber.on(name, (channel: string, text: string) => handlers.has(channel) && hear(channel, parse(text))),
    subscribe(channel: string, done: () => void) {
      subscriber
        .subscribe(channel)
        .catch((error) => refused.set(channel, error))
        .then(() => done())
    },
    unsubscribe: (channel: string) => void subscriber.unsubscribe(channel).catch(onError),
    punsubscribe: () => undefined,
  }
  const pubSub = new RedisPubSub({ publisher, subscriber: sheltered as unknown as Redis })
  watch({
    lost() {
      connected = gate()
      for (const handler of handlers.values()) handler.lost()
    },
    restored() {
      connected.open()
      for (const handler of handlers.values()) handler.restored()
    },
  })

  return {
    async subscribe(channel, handler) {
      handlers.set(channel, handler)
      const id = await pubSub.subscribe(channel, (parsed: unknown) => handler.message(parsed))
      const unsubscribe = () => {
        if (handlers.get(channel) === handler) handlers.delete(channel)
        pubSub.unsubscribe(id)
      }
      if (refused.has(channel)) {
        const error = refused.get(channel)
        refused.delete(channel)
        unsubscribe()
        throw error
      }
      await connected.opened
      return unsubscribe
    },
  }
}

/** Subscribes to each kind of a channel. It is lost while one of them is. */
function hearAll(kinds: readonly PubSub[]): PubSub {
  return {
    async subscribe(channel, handler) {
      let lostKinds = 0
      const handlerOfKind = (): ChannelHandler => {
        let isLost = false
        return {
          message: (parsed) => handler.message(parsed),
          lost() {
            if (isLost) return
            isLost = true
            lostKinds += 1
            if (lostKinds === 1) handler.lost()
          },
          restored() {
            if (!isLost) return
            isLost = false
            lostKinds -= 1
            if (lostKinds === 0) handler.restored()
          },
        }
      }
      const opened = await Promise.allSettled(kinds.map((kind) => kind.subscribe(channel, handlerOfKind())))
      const unsubscribe = () => {
        for (const each of opened) if (each.status === 'fulfilled') each.value()
      }
      const failed = opened.find((each) => each.status === 'rejected')
      if (!failed) return unsubscribe
      unsubscribe()
      throw failed.reason
    },
  }
}

/** An event for several users comes once for each, one after the other, so they share the parsed object. */
function createParser(): (text: string) => unknown {
  let last = { text: '', event: undefined as unknown }
  return (text) => {
    if (text !== last.text) last = { text, event: parseJson(text) }
    return last.event
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
