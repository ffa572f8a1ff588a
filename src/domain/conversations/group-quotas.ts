import type { Ports } from '../../ports/ports.ts'
import { ChatError } from '../../protocol/errors.ts'
import type { UserId } from '../../protocol/ids.ts'

/**
 * In an hour a user may create so many groups, add so many people, change groups so often, and begin so many direct chats. 0 means no limit.
 */
export type GroupQuotas = {
  groupsPerHour: number
  additionsPerHour: number
  changesPerHour: number
  chatsPerHour: number
}

export const groupQuotasDefault: GroupQuotas = {
  groupsPerHour: 200,
  additionsPerHour: 5000,
  changesPerHour: 1000,
  chatsPerHour: 1000,
}

/**
 * Bounds how many groups and chats one person can put others into, and how much they can put into the logs of groups. The quota is taken
 * before anything is written.
 */
export function createGroupQuotas({ quotas }: Pick<Ports, 'quotas'>, limits: GroupQuotas) {
  async function take(name: string, count: number, perHour: number): Promise<void> {
    if (!quotas || perHour === 0 || count === 0) return
    // One operation may ask for more than the whole quota: it passes if nothing was taken before.
    const { retryAfterMs } = await quotas.take(name, Math.min(count, perHour), perHour)
    if (retryAfterMs === 0) return
    throw new ChatError(
      'RATE_LIMITED',
      'Too many new chats or groups, people added to groups, or changes of groups within an hour.',
      { retryAfterMs },
    )
  }

  return {
    takeGroup: (userId: UserId) => take(`groups:${userId}`, 1, limits.groupsPerHour),
    takeAdditions: (userId: UserId, count: number) => take(`additions:${userId}`, count, limits.additionsPerHour),
    takeChange: (userId: UserId) => take(`changes:${userId}`, 1, limits.changesPerHour),
    takeChat: (userId: UserId) => take(`chats:${userId}`, 1, limits.chatsPerHour),
  }
}
