// One queue; push-queues.ts says how many there are. Of the queue `push`:
// parley_push-jobs:{push}     stream, a job per message: c conversation id, n seq, s sender id, t sent at; about 100,000 at most
//   group `workers`           all nodes share one consumer name: Redis hands each job out once anyway, and no names are left over
// parley_push-due:{push}      sorted set, "userId conversationId" → when to look at that banner, ms
// parley_push-wanted:{push}   hash, "userId conversationId" → "seq atMs version attempts leaseMs"; the same members
//
// All keys are in one slot of a cluster, as scripts use several of them. A job stays in the group until its banners are wanted, and a banner stays
// in the set until it is finished: a worker that dies leaves its jobs to XAUTOCLAIM and its banners to the end of their lease. While a lease
// runs, wanting the banner again only raises its version; `finish` sees that and makes the banner due at once. So no two workers change one
// banner at a time, and nothing that happens meanwhile is missed.

import type { RedisLink } from '../../../engine/redis/client.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { ClaimedBanner, PushQueue, TakenJob, WantedBanner } from '../../../ports/push.ts'
import type { ConversationId, UserId } from '../../../protocol/ids.ts'
import type { RedisKeys } from '../keys.ts'

const jobsMax = 100_000
const group = 'workers'
const consumer = 'worker'
const takeoverMs = 30_000
const wantsAtATime = 250

type StreamEntry = [id: string, fields: string[] | null]

/** What stands in one slot. */
export type PushQueueKeys = ReturnType<RedisKeys['pushQueue']>
export type PushQueueRedisOptions = { clock: Clock; takeoverMs?: number }

export function createPushQueueRedis(link: RedisLink, keys: PushQueueKeys, options: PushQueueRedisOptions): PushQueue {
  const { clock } = options
  const idleMs = options.takeoverMs ?? takeoverMs
  const want = link.script(wantLua, 2)
  const claim = link.script(claimLua, 2)
  const finish = link.script(finishLua, 2)
  const { jobs: pushJobs, due: pushDue, wanted: pushWanted } = keys
  const { commands } = link
  const own = [pushDue, pushWanted]

  /** Reads first the jobs whose worker has died, then new ones. */
  async function read(limit: number): Promise<StreamEntry[]> {
    const [abandoned, fresh] = await Promise.all([
      commands.xautoclaim(pushJobs, group, consumer, idleMs, '0-0', 'COUNT', limit),
      commands.xreadgroup('GROUP', group, consumer, 'COUNT', limit, 'STREAMS', pushJobs, '>'),
    ])
    const [[, entries = []] = []] = (fresh ?? []) as [string, StreamEntry[]][]
    return [...(abandoned as [string, StreamEntry[]])[1], ...entries]
  }

  /** Creates the group where it is missing. It begins at the first job, so that jobs from before the group are read, too. */
  async function readOrCreateGroup(limit: number): Promise<StreamEntry[]> {
    try {
      return await read(limit)
    } catch (error) {
      if (!isAnswer(error, 'NOGROUP')) throw error
    }
    try {
      await commands.xgroup('CREATE', pushJobs, group, '0', 'MKSTREAM')
    } catch (error) {
      if (!isAnswer(error, 'BUSYGROUP')) throw error
    }
    return read(limit)
  }

  return {
    async add({ conversationId, seq, senderId, atMs }) {
      const job = ['c', conversationId, 'n', seq, 's', senderId, 't', atMs]
      await link.roundTrip('push.add', () => commands.xadd(pushJobs, 'MAXLEN', '~', jobsMax, '*', ...job))
    },

    async take(limit) {
      const entries = await link.roundTrip('push.take', () => readOrCreateGroup(limit))
      return entries.flatMap(([id, fields]) => (fields ? [toJob(id, fields)] : []))
    },

    async done(jobs) {
      if (jobs.length === 0) return
      const ids = jobs.map(({ id }) => id)
      await link.roundTrip('push.done', () =>
        Promise.all([commands.xack(pushJobs, group, ...ids), commands.xdel(pushJobs, ...ids)]),
      )
    },

    async want(banners, { urgent = false } = {}) {
      const nowMs = clock.now()
      for (let i = 0; i < banners.length; i += wantsAtATime) {
        const some = banners.slice(i, i + wantsAtATime).flatMap((each) => [memberOf(each), each.seq, each.atMs])
        await link.roundTrip('push.want', () => want(own, [nowMs, urgent ? 1 : 0, ...some]))
      }
    },

    async claim(limit, leaseMs) {
      const nowMs = clock.now()
      const claimed = await link.roundTrip('push.claim', () => claim(own, [nowMs, nowMs + leaseMs, limit]))
      return (claimed as [string, string][]).map(toClaimed)
    },

    async finish(banner, retryAtMs) {
      const { version, attempts } = banner
      const args = [memberOf(banner), version, attempts, retryAtMs ?? 0, clock.now()]
      await link.roundTrip('push.settle', () => finish(own, args))
    },

    async backlog() {
      const [jobs, banners, [, first] = []] = await link.roundTrip('push.backlog', () =>
        Promise.all([commands.xlen(pushJobs), commands.zcard(pushDue), commands.zrange(pushDue, 0, 0, 'WITHSCORES')]),
      )
      const oldestDueMs = first === undefined ? 0 : Math.max(0, clock.now() - Number(first))
      return { jobs, banners, oldestDueMs }
    },
  }
}

const isAnswer = (error: unknown, code: string): boolean => error instanceof Error && error.message.startsWith(code)

/** Neither id can hold a space. */
const memberOf = ({ userId, conversationId }: Pick<WantedBanner, 'userId' | 'conversationId'>): string =>
  `${userId} ${conversationId}`

function toJob(id: string, fields: string[]): TakenJob {
  const [, conversationId, , seq, , senderId, , atMs] = fields
  const address = { conversationId: conversationId as ConversationId, seq: Number(seq) }
  return { id, job: { ...address, senderId: senderId as UserId, atMs: Number(atMs) } }
}

function toClaimed([member, wanted]: [string, string]): ClaimedBanner {
  const [userId, conversationId] = member.split(' ') as [UserId, ConversationId]
  const [seq = 0, atMs = 0, version = 0, attempts = 0] = wanted.split(' ').map(Number)
  return { userId, conversationId, seq, atMs, version, attempts }
}

const parseLua = `
local function parse(wanted)
  local seq, at, version, attempts, lease = string.match(wanted, '^(%d+) (%d+) (%d+) (%d+) (%d+)$')
  return { seq = tonumber(seq), at = tonumber(at), version = tonumber(version), attempts = attempts, lease = tonumber(lease) }
end
local function keep(key, member, w)
  -- %d would cut what is larger than 32 bits on some builds.
  redis.call('HSET', key, member, string.format('%.0f %.0f %.0f %s %.0f', w.seq, w.at, w.version, w.attempts, w.lease))
end
`

// KEYS[1] sorted set  due
// KEYS[2] hash        wanted
// ARGV[1] integer     now, ms
// ARGV[2] 1 or 0      whether what waits for its time is due now
// then for each banner:
//   string            its member
//   integer           the seq wanted
//   integer           when that was sent, ms
const wantLua = `${parseLua}
local now = tonumber(ARGV[1])
for i = 3, #ARGV, 3 do
  local member, seq, at = ARGV[i], tonumber(ARGV[i + 1]), tonumber(ARGV[i + 2])
  local standing = redis.call('HGET', KEYS[2], member)
  if standing then
    local w = parse(standing)
    if seq > w.seq then
      w.seq = seq
      w.at = math.max(w.at, at)
    end
    w.version = w.version + 1
    keep(KEYS[2], member, w)
    if ARGV[2] == '1' and w.lease <= now then redis.call('ZADD', KEYS[1], now, member) end
  else
    keep(KEYS[2], member, { seq = seq, at = at, version = 1, attempts = '0', lease = 0 })
    redis.call('ZADD', KEYS[1], now, member)
  end
end
return 1
`

// KEYS[1] sorted set  due
// KEYS[2] hash        wanted
// ARGV[1] integer     now, ms
// ARGV[2] integer     the end of the lease, ms
// ARGV[3] integer     how many at most
const claimLua = `${parseLua}
local claimed = {}
for _, member in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[3])) do
  local standing = redis.call('HGET', KEYS[2], member)
  if standing then
    local w = parse(standing)
    w.lease = tonumber(ARGV[2])
    keep(KEYS[2], member, w)
    redis.call('ZADD', KEYS[1], ARGV[2], member)
    table.insert(claimed, { member, standing })
  else
    redis.call('ZREM', KEYS[1], member)
  end
end
return claimed
`

// KEYS[1] sorted set  due
// KEYS[2] hash        wanted
// ARGV[1] string      the banner's member
// ARGV[2] integer     the version that was claimed
// ARGV[3] integer     failed attempts so far
// ARGV[4] integer     when to look again, ms; 0: no more
// ARGV[5] integer     now, ms
const finishLua = `${parseLua}
local standing = redis.call('HGET', KEYS[2], ARGV[1])
if not standing then return 0 end
local w = parse(standing)
local again = w.version ~= tonumber(ARGV[2])
if not again and ARGV[4] == '0' then
  redis.call('HDEL', KEYS[2], ARGV[1])
  redis.call('ZREM', KEYS[1], ARGV[1])
  return 1
end
w.attempts = ARGV[3]
w.lease = 0
keep(KEYS[2], ARGV[1], w)
redis.call('ZADD', KEYS[1], again and ARGV[5] or ARGV[4], ARGV[1])
return 1
`
