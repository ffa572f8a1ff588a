import type { Presence } from '@parley/client/presence'
import { clock, dayName } from '../parts/times.ts'

/** Describes a presence for the header of a chat. Returns undefined while it is unknown. */
export function presenceWords(presence: Presence | undefined, nowMs: number): string | undefined {
  if (!presence) return undefined
  if (presence.state === 'ONLINE') return 'online'
  if (presence.state === 'SYNCING') return 'connecting…'
  if (!presence.lastSeenAt) return 'offline'
  const atMs = Date.parse(presence.lastSeenAt)
  const day = dayName(atMs, nowMs)
  const isNear = day === 'Today' || day === 'Yesterday'
  return `last seen ${isNear ? day.toLowerCase() : `on ${day}`} at ${clock(atMs)}`
}
