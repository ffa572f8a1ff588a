import type { Profile, ProfileStore } from '../../ports/people.ts'
import type { UserId } from '../../protocol/ids.ts'

export function createProfilesMemory(): ProfileStore {
  const profiles = new Map<UserId, Profile>()

  return {
    async put({ userId, name }) {
      const { name: _last, ...rest } = profiles.get(userId) ?? { userId }
      const profile: Profile = name === undefined ? rest : { ...rest, name }
      profiles.set(userId, profile)
      return { ...profile }
    },

    async change(userId, { ownName, avatarUrl }) {
      const { ownName: lastName, avatarUrl: lastUrl, ...rest } = profiles.get(userId) ?? { userId }
      const [name, url] = [changed(lastName, ownName), changed(lastUrl, avatarUrl)]
      const profile: Profile = { ...rest, ...(name && { ownName: name }), ...(url && { avatarUrl: url }) }
      profiles.set(userId, profile)
      return { ...profile }
    },

    async getMany(userIds) {
      const found = [...new Set(userIds)].map((userId) => profiles.get(userId))
      return found.filter((profile) => profile !== undefined).map((profile) => ({ ...profile }))
    },
  }
}

const changed = (last: string | undefined, next: string | null | undefined): string | undefined =>
  next === undefined ? last : (next ?? undefined)
