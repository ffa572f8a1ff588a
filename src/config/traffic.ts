import { z } from 'zod'
import type { Config, TrafficSettings } from './config.ts'
import { count } from './variable-rules.ts'

export const trafficVariables = z.object({
  RATE_LIMIT_PER_SECOND: count(1_000_000),
  RATE_LIMIT_BURST: count(10_000_000),
  GROUPS_PER_HOUR: count(1_000_000),
  GROUP_ADDITIONS_PER_HOUR: count(10_000_000),
  GROUP_CHANGES_PER_HOUR: count(10_000_000),
  CHATS_PER_HOUR: count(10_000_000),
  SOCKETS_PER_USER: count(1_000_000),
  SOCKETS_PER_ADDRESS: count(1_000_000),
  SUBSCRIPTIONS_PER_USER: count(1_000_000),
  BAD_TOKENS_PER_MINUTE: count(1_000_000),
  UPLOADS_PER_HOUR: count(1_000_000),
  UPLOAD_MEGABYTES_PER_HOUR: count(1_000_000),
  TRUSTED_PROXIES: count(10),
})

type Read = z.output<typeof trafficVariables>

/** Development mode does not limit rates, sockets or uploads: a developer who measures wants to know what the node can do. */
export function trafficSettings(read: Read, guarded: boolean): TrafficSettings {
  const perSecond = read.RATE_LIMIT_PER_SECOND ?? (guarded ? 500 : 0)
  const socketsMax = guarded ? 1000 : 0
  return {
    rate: perSecond === 0 ? undefined : { perSecond, burst: Math.max(1, read.RATE_LIMIT_BURST ?? 10 * perSecond) },
    connectionLimits: {
      perUser: read.SOCKETS_PER_USER ?? socketsMax,
      subscriptionsPerUser: read.SUBSCRIPTIONS_PER_USER ?? (guarded ? 5000 : 0),
      perAddress: read.SOCKETS_PER_ADDRESS ?? socketsMax,
      uninitialised: 20_000,
      uninitialisedPerAddress: guarded ? 100 : 0,
    },
    sparesLoopback: {
      rate: read.RATE_LIMIT_PER_SECOND === undefined,
      perUser: read.SOCKETS_PER_USER === undefined,
      subscriptions: read.SUBSCRIPTIONS_PER_USER === undefined,
    },
    badTokensPerMinute: read.BAD_TOKENS_PER_MINUTE ?? (guarded ? 600 : 0),
    uploads: {
      perHour: read.UPLOADS_PER_HOUR ?? (guarded ? 1000 : 0),
      bytesPerHour: 2 ** 20 * (read.UPLOAD_MEGABYTES_PER_HOUR ?? (guarded ? 5000 : 0)),
    },
    trustedProxies: read.TRUSTED_PROXIES ?? 0,
  }
}

export const groupQuotas = (read: Read): Config['groupQuotas'] & object => ({
  groupsPerHour: read.GROUPS_PER_HOUR ?? 200,
  additionsPerHour: read.GROUP_ADDITIONS_PER_HOUR ?? 5000,
  changesPerHour: read.GROUP_CHANGES_PER_HOUR ?? 1000,
  chatsPerHour: read.CHATS_PER_HOUR ?? 1000,
})
