import { LRUCache } from 'lru-cache'
import type { UserId } from '../protocol/ids.ts'
import type { Viewer } from '../protocol/viewer.ts'
import type { Ports } from './ports.ts'

/** Names come with people's tokens and are kept so that others can be shown them. */
export function createPeople({ profiles }: Pick<Ports, 'profiles'>, options = { cachedNames: 50_000 }) {
  const remembered = new LRUCache<UserId, string>({ max: options.cachedNames })

  /** Writes only what this node has not written before. */
  async function remember({ userId, name }: Viewer): Promise<void> {
    if (name === undefined || remembered.get(userId) === name) return
    remembered.set(userId, name)
    try {
      await profiles.put({ userId, name })
    } catch (error) {
      remembered.delete(userId)
      throw error
    }
  }

  /** In the order asked for; undefined for who never had a name. */
  async function namesOf(userIds: readonly UserId[]): Promise<(string | undefined)[]> {
    const found = new Map((await profiles.getMany(userIds)).map((each) => [each.userId, each.name]))
    return userIds.map((userId) => found.get(userId))
  }

  return { remember, namesOf }
}
