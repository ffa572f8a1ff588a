import type { Ports } from '../../ports/ports.ts'
import type { ConversationId, Seq, UserId } from '../../protocol/ids.ts'
import type { Tell } from '../feed/announce.ts'
import type { Done, Job, TaskWork } from '../tasks/run-task.ts'
import type { createEraseConversation } from './erase-conversation.ts'
import type { Exports } from './exports.ts'

// Erases a user. docs/protocol.md, "Erasure", has the steps, what may happen in between, and what a crash leaves; docs/erasure.md what remains.

/** This is longer than any operation may take, and longer than it takes until every node refuses the user. */
export const settleDefaultMs = 30_000
const rowsAtATime = 100

type Where = {
  pseudonym: UserId
  atMs: number
  /** Nothing is taken out before this time. */
  settledAtMs: number
  /** How many conversations are done. */
  done: number
  conversationId?: ConversationId
  after?: Seq
}

type Stores =
  | 'boundaries'
  | 'memberships'
  | 'departures'
  | 'devices'
  | 'devicePositions'
  | 'blocks'
  | 'sessions'
  | 'reports'
type Needs = Pick<Ports, Stores | 'clock'> & {
  eraseConversation: ReturnType<typeof createEraseConversation>
  eraseProfile: (userId: UserId) => Promise<void>
  removeExport: Exports['remove']
  ban: (userId: UserId) => Promise<void>
  setBlocked: (userId: UserId, blockedId: UserId, blocked: boolean) => Promise<void>
  removeDevice: (device: Awaited<ReturnType<Ports['devices']['ofUser']>>[number]) => Promise<void>
  tell: Tell
  randomId: () => string
  settleMs?: number
}

export function createEraseUser(needs: Needs): TaskWork {
  const { devices, devicePositions, blocks, sessions, reports, clock } = needs
  const { eraseConversation, eraseProfile, removeExport, ban, setBlocked, removeDevice, tell, randomId } = needs
  const { settleMs = settleDefaultMs } = needs
  const conversationsOf = createConversationsEver(needs)

  /** Marks the user first and refuses them everywhere. What they had under way then ends before anything is taken out. */
  async function begin(job: Job, userId: UserId): Promise<Where> {
    const atMs = clock.now()
    const pseudonym = `erased.${randomId()}` as UserId
    const where = { pseudonym, atMs, settledAtMs: atMs + settleMs, done: 0 }
    await eraseProfile(userId)
    await ban(userId)
    await job.save(0, JSON.stringify(where))
    return where
  }

  async function eraseDevices(userId: UserId): Promise<void> {
    for (const device of await devices.ofUser(userId)) await removeDevice(device)
    for (const start of await devicePositions.ofUser(userId)) await devicePositions.forget(start)
  }

  async function eraseBlocks(userId: UserId): Promise<void> {
    for (;;) {
      const blocked = await blocks.above(userId, undefined, rowsAtATime)
      if (blocked.length === 0) return
      for (const each of blocked) await setBlocked(userId, each, false)
    }
  }

  /** Redacts reports by the user and about them. A report keeps what was decided, and its other person unless they are erased too. */
  async function eraseReports(userId: UserId, pseudonym: UserId): Promise<void> {
    for (;;) {
      const found = await reports.ofUser(userId, undefined, rowsAtATime)
      if (found.length === 0) return
      for (const { id } of found) await reports.redact(id, userId, pseudonym)
    }
  }

  return async function eraseUser(job): Promise<Done> {
    const userId = job.subject as UserId
    let where = job.cursor ? (JSON.parse(job.cursor) as Where) : await begin(job, userId)
    if (clock.now() < where.settledAtMs) return { againAtMs: where.settledAtMs }
    const { pseudonym, atMs } = where
    await eraseDevices(userId)
    await removeExport('exportUser', userId)
    const left = await conversationsOf(userId)
    const total = where.done + left.length + 1
    for (const id of left) {
      const erased = { userId, pseudonym, atMs }
      await eraseConversation(id, erased, {
        after: where.conversationId === id ? (where.after ?? 0) : 0,
        save: (after) => {
          where = { ...where, conversationId: id, after }
          return job.save(where.done / total, JSON.stringify(where))
        },
      })
      where = { pseudonym, atMs, settledAtMs: where.settledAtMs, done: where.done + 1 }
      await job.save(where.done / total, JSON.stringify(where))
    }
    await eraseBlocks(userId)
    await eraseReports(userId, pseudonym)
    await sessions.forget(userId)
    await tell({ type: 'user.erased', userId })
    return { forgetSubject: true }
  }
}

/** Finds every conversation that a user is or was in: whoever leaves one, or is removed, keeps a row of boundaries. */
export const createConversationsEver =
  ({ boundaries, memberships, departures }: Pick<Ports, 'boundaries' | 'memberships' | 'departures'>) =>
  async (userId: UserId): Promise<ConversationId[]> => {
    const [own, known, left] = await Promise.all([
      memberships.ofUser(userId),
      boundaries.ofUser(userId),
      departures.ofUser(userId),
    ])
    const ids = [...own, ...known].map((each) => each.conversationId)
    return [...new Set([...ids, ...left.map(({ groupId }) => groupId)])].sort()
  }
