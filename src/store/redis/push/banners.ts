// parley_banner:{userId}:conversationId       hash, device id → "<seq>" that it shows, or "<seq>?" that it may; 7 days from the last one
// parley_push-budget:{userId}:<window>        string, how many pushes in that window of time; two windows
//
// A device is noted with '?' before it is pushed to, so that a read boundary that rises meanwhile leads to a withdrawal.

import type { RedisLink } from '../../../engine/redis/client.ts'
import type { Banners, ShownBanner } from '../../../ports/push.ts'
import type { DeviceId } from '../../../protocol/ids.ts'
import { dayMs, type RedisKeys } from '../keys.ts'

const bannerTtlMs = 7 * dayMs

export function createBannersRedis(link: RedisLink, keys: RedisKeys): Banners {
  const { commands } = link
  return {
    async of(member) {
      const noted = await link.roundTrip('banners.of', () => commands.hgetall(keys.banner(member)))
      return new Map(Object.entries(noted).map(([deviceId, value]) => [deviceId as DeviceId, parse(value)]))
    },

    async note(member, shown) {
      const key = keys.banner(member)
      const gone = [...shown].flatMap(([deviceId, each]) => (each ? [] : [deviceId]))
      const there = [...shown].flatMap(([deviceId, each]) => (each ? [deviceId, print(each)] : []))
      if (shown.size === 0) return
      await link.roundTrip('banners.note', () =>
        Promise.all([
          ...(gone.length > 0 ? [commands.hdel(key, ...gone)] : []),
          ...(there.length > 0 ? [commands.hset(key, ...there), commands.pexpire(key, bannerTtlMs)] : []),
        ]),
      )
    },

    async forget(member) {
      await link.roundTrip('banners.forget', () => commands.del(keys.banner(member)))
    },

    any: async (member) => (await link.roundTrip('banners.any', () => commands.exists(keys.banner(member)))) === 1,

    async spend(userId, window, windowMs) {
      const key = keys.pushBudget(userId, window)
      const [spent] = await link.roundTrip('banners.spend', () =>
        Promise.all([commands.incr(key), commands.pexpire(key, 2 * windowMs)]),
      )
      return spent
    },
  }
}

const print = ({ seq, accepted }: ShownBanner): string => (accepted ? String(seq) : `${seq}?`)
const parse = (value: string): ShownBanner => ({ seq: Number.parseInt(value, 10), accepted: !value.endsWith('?') })
