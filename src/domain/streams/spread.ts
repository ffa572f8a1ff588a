import type { UserId } from '../../protocol/ids.ts'

/** Returns a number that is always the same for a user and differs between users. */
export function spread(userId: UserId): number {
  let number = 0
  for (let i = 0; i < userId.length; i += 1) number = (31 * number + userId.charCodeAt(i)) >>> 0
  return number
}
