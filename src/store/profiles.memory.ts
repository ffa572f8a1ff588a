import type { Profile, ProfileStore } from '../domain/ports.ts'
import type { UserId } from '../protocol/ids.ts'

export function createProfilesMemory(): ProfileStore {
  const profiles = new Map<UserId, Profile>()

  return {
    async put(profile) {
      profiles.set(profile.userId, { ...profile })
    },

    async getMany(userIds) {
      const found = [...new Set(userIds)].map((userId) => profiles.get(userId))
      return found.filter((profile) => profile !== undefined).map((profile) => ({ ...profile }))
    },
  }
}
