import type { Ports } from '../../ports/ports.ts'
import type { ConversationId, UserId } from '../../protocol/ids.ts'
import { audienceOf, type Member } from '../conversations/access.ts'

/** This is longer than a write may be under way whose caller has given up. */
const laterMs = 20_000

/**
 * Makes a function that tries to write and to publish boundaries. If that fails, they may be written, with nothing published, and the caller may
 * not try again. So the tick stamps are replaced later, until Redis has answered: then streams look for what they have missed. A node that
 * dies before that is told by its lease.
 */
export function createTellLater({ tickStamps, clock }: Pick<Ports, 'tickStamps' | 'clock'>) {
  const waiting = new Set<UserId | ConversationId>()
  let isWorking = false

  async function work(): Promise<void> {
    while (waiting.size > 0) {
      await clock.sleep(laterMs)
      const ids = [...waiting]
      waiting.clear()
      await tickStamps.replace(ids).catch(() => {
        for (const id of ids) waiting.add(id)
      })
    }
  }

  function tellLater(member: Member): void {
    const audience = audienceOf(member)
    for (const id of [member.userId, ...(typeof audience === 'string' ? [audience] : audience)]) waiting.add(id)
    if (isWorking) return
    isWorking = true
    void work().finally(() => {
      isWorking = false
    })
  }

  return async function orTellLater<T>(member: Member, attempt: () => Promise<T>): Promise<T> {
    try {
      return await attempt()
    } catch (error) {
      tellLater(member)
      throw error
    }
  }
}
