// Keeping messages in Redis Streams, as those peers do that have no other store: one stream per conversation for the history. A
// boundary is a key.

import { Redis } from 'ioredis'
import { type Message, messageOf } from './schema.ts'

export function createRedisStreams(prefix: string) {
  const redis = new Redis(process.env.REDIS_URL ?? '', { enableAutoPipelining: true })

  return {
    redis,

    async append(conversationId: string, senderId: string, body: string): Promise<Message> {
      const seq = await redis.incr(`${prefix}:seq:${conversationId}`)
      const message = messageOf(conversationId, seq, senderId, body)
      await redis.xadd(`${prefix}:log:${conversationId}`, '*', 'message', JSON.stringify(message))
      return message
    },

    async newest(conversationId: string, count: number): Promise<Message[]> {
      const entries = await redis.xrevrange(`${prefix}:log:${conversationId}`, '+', '-', 'COUNT', count)
      return entries.map(([, fields]) => JSON.parse(fields[1] ?? '') as Message)
    },

    async deliver(conversationId: string, userId: string, seq: number): Promise<void> {
      await redis.set(`${prefix}:delivered:${conversationId}:${userId}`, seq)
    },
  }
}
