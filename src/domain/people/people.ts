import { LRUCache } from 'lru-cache'
import type { Profile, ProfileChange } from '../../ports/people.ts'
import type { Ports } from '../../ports/ports.ts'
import { badInput } from '../../protocol/errors.ts'
import type { UserId } from '../../protocol/ids.ts'
import { avatarUrlProblem, nameProblem } from '../../protocol/profile.ts'
import type { Viewer } from '../../protocol/viewer.ts'

/** A new name is seen on other nodes within a minute. In return, a live message with its sender's name costs no read. */
const profileTtlMs = 60_000

/** A profile has a URL of up to 2,048 characters, and most have none. */
const profilesMaxChars = 16 * 1024 * 1024

/** About what it takes. */
const charsOf = ({ name = '', ownName = '', avatarUrl = '' }: Profile): number =>
  200 + name.length + ownName.length + avatarUrl.length

/**
 * Names come with people's tokens and are kept so that others can be shown them. A name somebody chose comes before that of
 * any token, and the two are kept apart: a token never overwrites it, and taking it away brings the token's back.
 */
export function createPeople(
  { profiles, clock }: Pick<Ports, 'profiles' | 'clock'>,
  cacheSize: number,
  { localAvatars = false }: { localAvatars?: boolean } = {},
) {
  const known = new LRUCache<UserId, Profile>({
    max: cacheSize,
    maxSize: profilesMaxChars,
    sizeCalculation: charsOf,
    ttl: profileTtlMs,
    perf: { now: clock.monotonic },
    ttlResolution: 0,
  })
  const written = new LRUCache<UserId, string>({ max: cacheSize })

  /** Writes only what this node has not written before. */
  async function remember({ userId, name }: Viewer): Promise<void> {
    if (name === undefined || written.get(userId) === name) return
    written.set(userId, name)
    try {
      known.set(userId, await profiles.put({ userId, name }))
    } catch (error) {
      written.delete(userId)
      throw error
    }
  }

  async function change(userId: UserId, wanted: ProfileChange): Promise<void> {
    const { ownName, avatarUrl } = wanted
    const problems = [
      ['name', ownName == null ? undefined : nameProblem(ownName)],
      ['avatarUrl', avatarUrl == null ? undefined : avatarUrlProblem(avatarUrl, { local: localAvatars })],
    ] as const
    for (const [field, problem] of problems) if (problem) throw badInput(field, problem)
    if (ownName === undefined && avatarUrl === undefined) return
    known.set(userId, await profiles.change(userId, wanted))
  }

  /** In the order asked for. */
  async function profilesOf(userIds: readonly UserId[]): Promise<Profile[]> {
    const held = new Map(userIds.map((userId) => [userId, known.get(userId)]))
    const unknown = [...held.keys()].filter((userId) => !held.get(userId))
    const read = new Map((unknown.length > 0 ? await profiles.getMany(unknown) : []).map((each) => [each.userId, each]))
    // What was written meanwhile is newer.
    for (const userId of unknown) if (!known.has(userId)) known.set(userId, read.get(userId) ?? { userId })
    return userIds.map((userId) => held.get(userId) ?? known.get(userId) ?? { userId })
  }

  return { remember, change, profilesOf }
}
