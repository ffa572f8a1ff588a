// A Redis has one push queue, `push`. A cluster has sixteen, `push-0` to `push-15`, in different slots, so that no one of its nodes has the load and
// the memory of all. A job is in the queue of its conversation, so that the jobs of one are taken in their order. A banner is in the queue of its
// user, so that what is wanted of a user and a conversation meets in one place.
//
// Earlier releases used `push` on a cluster, too. What waits there is still worked off: its jobs are taken like any others, and its banners
// are wanted anew in the queue of their user. While nodes of both releases run, each release adds to its own; a banner that both look at in
// the same moment may be pushed twice.

import type { RedisLink } from '../../../engine/redis/client.ts'
import type { ClaimedBanner, PushQueue, TakenJob, WantedBanner } from '../../../ports/push.ts'
import type { RedisKeys } from '../keys.ts'
import { createPushQueueRedis, type PushQueueRedisOptions } from './push-queue.ts'

export const queuesOfCluster = 16
/** How often a node looks into the queue of earlier releases. */
const earlierEveryMs = 1000

export function createPushQueuesRedis(link: RedisLink, keys: RedisKeys, options: PushQueueRedisOptions): PushQueue {
  const open = (name: string) => createPushQueueRedis(link, keys.pushQueue(name), options)
  const first = open('push')
  if (!link.isCluster) return first
  const queues = Array.from({ length: queuesOfCluster }, (_, i) => open(`push-${i}`))
  return spread(queues, first, options)
}

function spread(queues: readonly PushQueue[], earlier: PushQueue, { clock }: PushQueueRedisOptions): PushQueue {
  const all = [...queues, earlier]
  const queueOf = (id: string): PushQueue => queues[hashOf(id) % queues.length] ?? earlier
  let turn = 0
  let earlierAtMs = Number.NEGATIVE_INFINITY

  /** Another queue is the first each time, so that a small limit reaches all of them. */
  function rotated(those: readonly PushQueue[]): PushQueue[] {
    turn = (turn + 1) % those.length
    return [...those.slice(turn), ...those.slice(0, turn)]
  }

  /** Wants the banners of earlier releases in their users' queues. One that is wanted there meanwhile is due there again, and comes next time. */
  async function moveEarlier(limit: number, leaseMs: number): Promise<void> {
    if (clock.monotonic() - earlierAtMs < earlierEveryMs) return
    earlierAtMs = clock.monotonic()
    const banners = await earlier.claim(limit, leaseMs)
    if (banners.length === 0) return
    await want(banners)
    await Promise.all(banners.map((banner) => earlier.finish(banner)))
  }

  async function want(banners: readonly WantedBanner[], options?: { urgent?: boolean }): Promise<void> {
    const byQueue = new Map<PushQueue, WantedBanner[]>()
    for (const banner of banners) {
      const queue = queueOf(banner.userId)
      byQueue.set(queue, [...(byQueue.get(queue) ?? []), banner])
    }
    await Promise.all([...byQueue].map(([queue, some]) => queue.want(some, options)))
  }

  return {
    add: (job) => queueOf(job.conversationId).add(job),

    async take(limit) {
      const jobs = await gather(rotated(all), limit, async (queue, count) => {
        const some = await queue.take(count)
        return some.map(({ id, job }) => ({ id: `${all.indexOf(queue)}:${id}`, job }))
      })
      // A queue that was asked again may take over what it has just given, where the time for that is short.
      return [...new Map(jobs.map((each) => [each.id, each])).values()]
    },

    async done(jobs) {
      const byQueue = new Map<number, TakenJob[]>()
      for (const { id, job } of jobs) {
        const [index = '', own = ''] = id.split(':')
        byQueue.set(Number(index), [...(byQueue.get(Number(index)) ?? []), { id: own, job }])
      }
      await Promise.all([...byQueue].map(([index, some]) => all[index]?.done(some)))
    },

    want,

    async claim(limit, leaseMs) {
      const [moved] = await Promise.allSettled([moveEarlier(limit, leaseMs)])
      const claim = (queue: PushQueue, count: number): Promise<ClaimedBanner[]> => queue.claim(count, leaseMs)
      const claimed = await gather(rotated(queues), limit, claim)
      if (claimed.length === 0 && moved.status === 'rejected') throw moved.reason
      return claimed
    },

    finish: (banner, retryAtMs) => queueOf(banner.userId).finish(banner, retryAtMs),

    async backlog() {
      const backlogs = await Promise.all(all.map((queue) => queue.backlog()))
      return backlogs.reduce((sum, each) => ({
        jobs: sum.jobs + each.jobs,
        banners: sum.banners + each.banners,
        oldestDueMs: Math.max(sum.oldestDueMs, each.oldestDueMs),
      }))
    },
  }
}

/**
 * Asks all queues at once, each for its share of the limit, and those that have more for what is left of it. What was found is returned also
 * where a queue does not answer: it is leased to the caller already.
 */
async function gather<Found>(
  queues: readonly PushQueue[],
  limit: number,
  ask: (queue: PushQueue, count: number) => Promise<Found[]>,
): Promise<Found[]> {
  const found: Found[] = []
  let failure: unknown
  let open = queues
  while (open.length > 0 && found.length < limit) {
    const asked = open.slice(0, limit - found.length)
    const share = Math.floor((limit - found.length) / asked.length)
    const answers = await Promise.allSettled(asked.map((queue) => ask(queue, share)))
    const more = asked.filter((_queue, i) => {
      const answer = answers[i]
      if (answer?.status === 'rejected') failure = answer.reason
      if (answer?.status !== 'fulfilled') return false
      found.push(...answer.value)
      return answer.value.length >= share
    })
    open = [...open.slice(asked.length), ...more]
  }
  if (found.length === 0 && failure !== undefined) throw failure
  return found
}

/** Returns a number that is always the same for an id, on all nodes. */
function hashOf(id: string): number {
  let number = 0x811c9dc5
  for (let i = 0; i < id.length; i += 1) number = Math.imul(number ^ id.charCodeAt(i), 0x01000193) >>> 0
  return number
}
