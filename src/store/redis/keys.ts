import type { MemberAddress } from '../../ports/delivery.ts'
import type { FeedPartition } from '../../ports/feed.ts'
import type { ConversationId, UserId } from '../../protocol/ids.ts'

export type RedisKeys = ReturnType<typeof createRedisKeys>

/**
 * Makes every key of the system but two: `deployment` (store/deployment.ts) and `node:<number>` (node-number.ts). Keys that one script touches
 * share a hash tag, so that they are on one node of a cluster. Neither the prefix of a deployment nor user ids nor conversation ids can contain
 * a brace.
 */
export function createRedisKeys(prefix: string) {
  return {
    counter: (conversationId: ConversationId) => `${prefix}seq:{${conversationId}}`,
    activity: (conversationId: ConversationId) => `${prefix}active:{${conversationId}}`,
    sessions: (userId: UserId) => `${prefix}sessions:{${userId}}`,
    lastingSession: (userId: UserId) => `${prefix}attached:{${userId}}`,
    sessionLeases: `${prefix}leases:{sessions}`,
    pendingIndexComplete: (userId: UserId) => `${prefix}complete:{${userId}}`,
    cachedBoundaries: ({ userId, conversationId }: MemberAddress) => `${prefix}hint:{${userId}}:${conversationId}`,
    seen: (userId: UserId) => `${prefix}seen:{${userId}}`,
    indexStamp: (userId: UserId) => `${prefix}index:{${userId}}`,
    tickStamp: (id: UserId | ConversationId) => `${prefix}ticks:{${id}}`,
    block: (conversationId: ConversationId) => `${prefix}block:{${conversationId}}`,
    /** One of the push queues. Its three keys are in one slot, and the queues are in different ones. */
    pushQueue: (name: string) => ({
      jobs: `${prefix}push-jobs:{${name}}`,
      due: `${prefix}push-due:{${name}}`,
      wanted: `${prefix}push-wanted:{${name}}`,
    }),
    banner: ({ userId, conversationId }: MemberAddress) => `${prefix}banner:{${userId}}:${conversationId}`,
    pushBudget: (userId: UserId, window: number) => `${prefix}push-budget:{${userId}}:${window}`,
    presenceChannel: (userId: UserId) => `${prefix}presence:{${userId}}`,
    channel: (userId: UserId) => `${prefix}user:{${userId}}`,
    /** What concerns all nodes and no user's stream. */
    restrictionsChannel: `${prefix}restrictions`,
    groupChannel: (id: ConversationId) => `${prefix}group:{${id}}`,
    version: (id: ConversationId) => `${prefix}version:{${id}}`,
    feedCounter: (partition: FeedPartition) => `${prefix}feed:{${partition}}`,
    rate: (bucket: string) => `${prefix}rate:{${bucket}}`,
  }
}

/** The prefix of a deployment that sets neither REDIS_PREFIX nor TABLE_PREFIX. */
export const defaultKeyPrefix = 'parley_'

export const dayMs = 86_400_000
