import { LRUCache } from 'lru-cache'
import type { Profile, ProfileChange } from '../../ports/people.ts'
import type { Ports } from '../../ports/ports.ts'
import { badInput, ChatError } from '../../protocol/errors.ts'
import type { UserId } from '../../protocol/ids.ts'
import { avatarUrlProblem, nameProblem } from '../../protocol/profile.ts'
import type { Viewer } from '../../protocol/viewer.ts'
import { entriesAndSizeMax, entriesMax } from '../../shared/entries-max.ts'
import type { Tell } from '../feed/announce.ts'

/** A new name is seen on other nodes within a minute. In return, a live message with its sender's name costs no read. */
const profileTtlMs = 60_000

/** The cache is bounded by size too: a profile may have a URL of up to 2,048 characters, and most have none. */
const profilesMaxChars = 16 * 1024 * 1024

/** Estimates the memory a profile takes. */
const charsOf = ({ name = '', ownName = '', avatarUrl = '', metadata = '' }: Profile): number =>
  200 + name.length + ownName.length + avatarUrl.length + metadata.length

type PeopleOptions = {
  localAvatars?: boolean
  tell?: Tell
  /** Whether the user is refused for good: only then are they perhaps erased. */
  isGone?: (userId: UserId) => boolean
}

/** Returns those of them who were erased. Nobody puts them anywhere any more. */
export type ErasedAmong = (userIds: readonly UserId[]) => Promise<ReadonlySet<UserId>>

/**
 * Keeps the names and avatars of users. A name comes with a user's token and is stored so that others can see it. A name that the user chose has
 * precedence, and the two are stored apart: a token never overwrites the chosen name, and removing that brings the token's name back.
 */
export function createPeople(
  { profiles, clock }: Pick<Ports, 'profiles' | 'clock'>,
  cacheSize: number,
  { localAvatars = false, tell, isGone = () => false }: PeopleOptions = {},
) {
  const known = new LRUCache<UserId, Profile>({
    ...entriesAndSizeMax(cacheSize, profilesMaxChars, charsOf),
    ttl: profileTtlMs,
    perf: { now: clock.monotonic },
    ttlResolution: 0,
  })
  const written = new LRUCache<UserId, string>(entriesMax(cacheSize))

  /** Writes the name of a token, unless this node has written it before. */
  async function remember({ userId, name }: Viewer): Promise<void> {
    if (name === undefined || written.get(userId) === name) return
    written.set(userId, name)
    try {
      // Every node writes the name once. Only the first of them changes it.
      const [before] = tell ? await profiles.getMany([userId]) : []
      known.set(userId, await profiles.put({ userId, name }))
      if (before?.name !== name) await tell?.({ type: 'user.updated', userId })
    } catch (error) {
      written.delete(userId)
      throw error
    }
  }

  /** `at` is the path of the profile in an input. */
  function assertGood({ ownName, avatarUrl }: ProfileChange, at = ''): void {
    const problems = [
      ['name', ownName == null ? undefined : nameProblem(ownName)],
      ['avatarUrl', avatarUrl == null ? undefined : avatarUrlProblem(avatarUrl, { local: localAvatars })],
    ] as const
    for (const [field, problem] of problems) if (problem) throw badInput(`${at}${field}`, problem)
  }

  async function change(userId: UserId, wanted: ProfileChange): Promise<void> {
    const { ownName, avatarUrl } = wanted
    assertGood(wanted)
    if (ownName === undefined && avatarUrl === undefined) return
    await upsert(userId, wanted)
  }

  /** Changes what is named, and makes a user who was never here. The caller has checked the values. */
  async function upsert(userId: UserId, wanted: ProfileChange): Promise<Profile> {
    const profile = await profiles.change(userId, wanted)
    if (profile.erasedAtMs !== undefined)
      throw new ChatError('FORBIDDEN', `${userId} was erased. Their id cannot be used again.`)
    known.set(userId, profile)
    await tell?.({ type: 'user.updated', userId })
    return profile
  }

  /** Returns the profiles in the order asked for. */
  async function profilesOf(userIds: readonly UserId[]): Promise<Profile[]> {
    const held = new Map(userIds.map((userId) => [userId, known.get(userId)]))
    const unknown = [...held.keys()].filter((userId) => !held.get(userId))
    const read = new Map((unknown.length > 0 ? await profiles.getMany(unknown) : []).map((each) => [each.userId, each]))
    // A profile that was written during the read is newer than what was read.
    for (const userId of unknown) if (!known.has(userId)) known.set(userId, read.get(userId) ?? { userId })
    return userIds.map((userId) => held.get(userId) ?? known.get(userId) ?? { userId })
  }

  /** Whoever is erased was refused first, on every node: so nearly always nothing is read. */
  const erasedAmong: ErasedAmong = async (userIds) => {
    const gone = userIds.filter(isGone)
    const found = gone.length > 0 ? await profiles.getMany(gone) : []
    return new Set(found.filter((each) => each.erasedAtMs !== undefined).map(({ userId }) => userId))
  }

  async function erase(userId: UserId): Promise<void> {
    await profiles.erase(userId, clock.now())
    known.delete(userId)
    written.delete(userId)
  }

  return { remember, erase, erasedAmong, assertGood, change, upsert, profilesOf, stored: profiles.getMany }
}
