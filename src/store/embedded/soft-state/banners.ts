import type { MemberAddress } from '../../../ports/delivery.ts'
import type { Banners, ShownBanner } from '../../../ports/push.ts'
import type { DeviceId } from '../../../protocol/ids.ts'

export function createBannersMemory(): Banners {
  const banners = new Map<string, Map<DeviceId, ShownBanner>>()
  const spent = new Map<string, number>()
  const keyOf = ({ userId, conversationId }: MemberAddress) => `${userId} ${conversationId}`

  return {
    of: async (member) => new Map(banners.get(keyOf(member))),

    async note(member, shown) {
      const noted = banners.get(keyOf(member)) ?? new Map<DeviceId, ShownBanner>()
      for (const [deviceId, each] of shown) {
        if (each) noted.set(deviceId, each)
        else noted.delete(deviceId)
      }
      if (noted.size > 0) banners.set(keyOf(member), noted)
      else banners.delete(keyOf(member))
    },

    forget: async (member) => void banners.delete(keyOf(member)),

    any: async (member) => banners.has(keyOf(member)),

    async spend(userId, window) {
      const key = `${userId} ${window}`
      spent.set(key, (spent.get(key) ?? 0) + 1)
      return spent.get(key) ?? 0
    },
  }
}
