import { LRUCache } from 'lru-cache'
import type { UserId } from '../protocol/ids.ts'
import type { Viewer } from '../protocol/viewer.ts'
import type { Ports } from './ports.ts'

/** A new name is seen on other nodes within a minute. In return, a live message with its sender's name costs no read. */
const nameTtlMs = 60_000

/** Names come with people's tokens and are kept so that others can be shown them. */
export function createPeople({ profiles, clock }: Pick<Ports, 'profiles' | 'clock'>, cacheSize: number) {
  const names = new LRUCache<UserId, { name: string | undefined }>({
    max: cacheSize,
    ttl: nameTtlMs,
    perf: { now: clock.now },
    ttlResolution: 0,
  })
  const written = new LRUCache<UserId, string>({ max: cacheSize })

  /** Writes only what this node has not written before. */
  async function remember({ userId, name }: Viewer): Promise<void> {
    if (name === undefined || written.get(userId) === name) return
    written.set(userId, name)
    try {
      await profiles.put({ userId, name })
      names.set(userId, { name })
    } catch (error) {
      written.delete(userId)
      throw error
    }
  }

  /** In the order asked for; undefined for who never had a name. */
  async function namesOf(userIds: readonly UserId[]): Promise<(string | undefined)[]> {
    const unknown = userIds.filter((userId) => !names.has(userId))
    if (unknown.length > 0) {
      const found = new Map((await profiles.getMany(unknown)).map((each) => [each.userId, each.name]))
      for (const userId of unknown) names.set(userId, { name: found.get(userId) })
    }
    return userIds.map((userId) => names.get(userId)?.name)
  }

  return { remember, namesOf }
}
