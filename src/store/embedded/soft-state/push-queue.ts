import type { Clock } from '../../../ports/clock.ts'
import type { ClaimedBanner, PushQueue, TakenJob, WantedBanner } from '../../../ports/push.ts'

type Standing = ClaimedBanner & { leaseMs: number; dueMs: number }

const takeoverDefaultMs = 30_000

export function createPushQueueMemory(clock: Clock, takeoverMs = takeoverDefaultMs): PushQueue {
  const jobs = new Map<string, TakenJob & { freeAtMs: number }>()
  const wanted = new Map<string, Standing>()
  const keyOf = ({ userId, conversationId }: Pick<WantedBanner, 'userId' | 'conversationId'>) =>
    `${userId} ${conversationId}`
  let added = 0

  return {
    async add(job) {
      const id = String(++added)
      jobs.set(id, { id, job, freeAtMs: 0 })
    },

    async take(limit) {
      const free = [...jobs.values()].filter(({ freeAtMs }) => freeAtMs <= clock.now()).slice(0, limit)
      for (const job of free) job.freeAtMs = clock.now() + takeoverMs
      return free.map(({ id, job }) => ({ id, job }))
    },

    async done(taken) {
      for (const { id } of taken) jobs.delete(id)
    },

    async want(banners, { urgent = false } = {}) {
      const nowMs = clock.now()
      for (const banner of banners) {
        const standing = wanted.get(keyOf(banner))
        if (!standing) {
          wanted.set(keyOf(banner), { ...banner, version: 1, attempts: 0, leaseMs: 0, dueMs: nowMs })
          continue
        }
        if (banner.seq > standing.seq) {
          standing.seq = banner.seq
          standing.atMs = Math.max(standing.atMs, banner.atMs)
        }
        standing.version += 1
        if (urgent && standing.leaseMs <= nowMs) standing.dueMs = nowMs
      }
    },

    async claim(limit, leaseMs) {
      const nowMs = clock.now()
      const due = [...wanted.values()].filter(({ dueMs }) => dueMs <= nowMs)
      const claimed = due.sort((one, other) => one.dueMs - other.dueMs).slice(0, limit)
      return claimed.map((standing) => {
        standing.leaseMs = standing.dueMs = nowMs + leaseMs
        const { leaseMs: _lease, dueMs: _due, ...banner } = standing
        return banner
      })
    },

    async finish(banner, retryAtMs) {
      const standing = wanted.get(keyOf(banner))
      if (!standing) return
      const again = standing.version !== banner.version
      if (!again && retryAtMs === undefined) return void wanted.delete(keyOf(banner))
      const dueMs = again ? clock.now() : (retryAtMs ?? 0)
      Object.assign(standing, { attempts: banner.attempts, leaseMs: 0, dueMs })
    },

    async backlog() {
      const oldest = Math.min(...[...wanted.values()].map(({ dueMs }) => dueMs))
      const oldestDueMs = wanted.size === 0 ? 0 : Math.max(0, clock.now() - oldest)
      return { jobs: jobs.size, banners: wanted.size, oldestDueMs }
    },
  }
}
