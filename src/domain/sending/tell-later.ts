import type { Ports } from '../../ports/ports.ts'
import type { ConversationId, UserId } from '../../protocol/ids.ts'
import { audienceOf, type Member } from '../conversations/access.ts'

/** This is longer than a write may be under way whose caller has given up. */
const laterMs = 20_000
/** Those who are due a moment later are told together. */
const severalWithinMs = 1000

/** A part of Redis that does not answer keeps no more of them waiting. */
const atATime = 500

type Id = UserId | ConversationId

/**
 * Makes a function that tries to write and to publish boundaries. If that fails, they may be written, with nothing published, and the caller may
 * not try again. So the tick stamps are replaced later, until Redis has answered: then streams look for what they have missed. A node that
 * dies before that is told by its lease.
 */
export function createTellLater({ tickStamps, clock }: Pick<Ports, 'tickStamps' | 'clock'>) {
  /** When each is told, in this order. */
  const waiting = new Map<Id, number>()
  let isWorking = false
  let underWay = 0

  async function work(): Promise<void> {
    for (;;) {
      const [atMs] = waiting.values()
      if (atMs === undefined) break
      await clock.sleep(Math.max(atMs - clock.monotonic(), severalWithinMs))
      const nowMs = clock.monotonic()
      const ids = [...waiting].filter(([, dueMs]) => dueMs <= nowMs).map(([id]) => id)
      for (const id of ids) waiting.delete(id)
      for (let i = 0; i < ids.length; i += atATime) {
        const some = ids.slice(i, i + atATime)
        await tickStamps.replace(some).catch(() => wait(some))
      }
    }
    // This comes in the same step as the last look. An id that was added in between would never be told.
    isWorking = false
  }

  function wait(ids: readonly Id[]): void {
    for (const id of ids) {
      waiting.delete(id)
      waiting.set(id, clock.monotonic() + laterMs)
    }
  }

  function tellLater(member: Member): void {
    const audience = audienceOf(member)
    wait([member.userId, ...(typeof audience === 'string' ? [audience] : audience)])
    if (isWorking) return
    isWorking = true
    void work()
  }

  async function orTellLater<T>(member: Member, attempt: () => Promise<T>): Promise<T> {
    underWay += 1
    try {
      return await attempt()
    } catch (error) {
      tellLater(member)
      throw error
    } finally {
      underWay -= 1
    }
  }

  return { orTellLater, isAllTold: () => underWay === 0 && !isWorking }
}
