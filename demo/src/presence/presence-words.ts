import type { Presence } from '../../../src/client/presence.ts'
import { clock, dayName } from '../parts/times.ts'

/** How somebody is, in the header of the chat with them. Undefined while nobody knows. */
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
