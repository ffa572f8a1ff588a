// mercurius with its JIT, messages in Redis Streams. Its own emitter delivers on this node; a stream that all nodes read carries
// events to the others, as the Redis Streams adapter of socket.io does. No dedupe, no rights, no catch-up.

import { randomUUID } from 'node:crypto'
import fastify from 'fastify'
import mercurius, { type PubSub } from 'mercurius'
import { createRedisStreams } from './redis-streams.ts'
import { type AckInput, addedOf, connectionOf, fromMemory, type SendInput, typeDefs } from './schema.ts'

type Context = { userId: string; pubsub: PubSub }
type Event = { topic: string; payload: object }

const streams = createRedisStreams('mercurius')
const events = 'mercurius:events'
const ownName = randomUUID()
const eventsKept = 10_000

/** Delivers on this node at once, and on others by way of Redis. */
async function publish(pubsub: PubSub, event: Event): Promise<void> {
  pubsub.publish(event)
  await streams.redis.xadd(events, 'MAXLEN', '~', eventsKept, '*', 'from', ownName, 'event', JSON.stringify(event))
}

async function readOthers(pubsub: PubSub): Promise<void> {
  const reader = streams.redis.duplicate({ enableAutoPipelining: false })
  for (let last = '$'; ; ) {
    const [read] = (await reader.xread('COUNT', 100, 'BLOCK', 5000, 'STREAMS', events, last)) ?? []
    for (const [id, fields] of read?.[1] ?? []) {
      last = id
      if (fields[1] !== ownName) pubsub.publish(JSON.parse(fields[3] ?? '') as Event)
    }
  }
}

async function sendMessage({ userId, pubsub }: Context, { to: { conversationId }, body }: SendInput) {
  const message = await streams.append(conversationId, userId, body)
  await publish(pubsub, { topic: `message ${conversationId}`, payload: { messageAdded: addedOf(message) } })
  return { message, duplicate: false }
}

async function ack({ userId, pubsub }: Context, { conversationId, seq }: AckInput) {
  await streams.deliver(conversationId, userId, seq)
  const ticks = { conversationId, userId, lastDeliveredSeq: seq, lastReadSeq: 0 }
  await publish(pubsub, { topic: `ticks ${conversationId}`, payload: { ticksChanged: ticks } })
  return { ticks }
}

const app = fastify({ logger: false })
await app.register(mercurius, {
  schema: typeDefs,
  jit: 1,
  context: (request) => ({ userId: String(request.headers['x-user-id']) }),
  subscription: {
    fullWsTransport: true,
    onConnect: ({ payload }: { payload: { userId: string } }) => ({ userId: payload.userId }),
  },
  resolvers: {
    Query: {
      messages: async (_root: unknown, { conversationId, first }: { conversationId: string; first: number }) =>
        connectionOf(await streams.newest(conversationId, first)),
      messagesInMemory: (_root: unknown, { first }: { first: number }) => fromMemory(first),
    },
    Mutation: {
      sendMessage: (_root: unknown, { input }: { input: SendInput }, context: unknown) =>
        sendMessage(context as Context, input),
      ack: (_root: unknown, { input }: { input: AckInput }, context: unknown) => ack(context as Context, input),
      setTyping: () => ({ ok: true }),
    },
    Subscription: {
      messageAdded: {
        subscribe: (_root: unknown, { conversationId }: { conversationId: string }, { pubsub }: { pubsub: PubSub }) =>
          pubsub.subscribe(`message ${conversationId}`),
      },
      ticksChanged: {
        subscribe: (_root: unknown, { conversationId }: { conversationId: string }, { pubsub }: { pubsub: PubSub }) =>
          pubsub.subscribe(`ticks ${conversationId}`),
      },
    },
  },
})
await app.ready()
void readOthers(app.graphql.pubsub)
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' })
