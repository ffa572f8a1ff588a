import type { Ports } from '../../ports/ports.ts'
import type { UserId } from '../../protocol/ids.ts'
import type { Tell } from '../feed/announce.ts'
import type { HeldRestrictions } from './held-restrictions.ts'

// Bans users and revokes tokens. The steps of a change, and what a crash leaves:
//   the row        the change stands. Nodes that start, and those that read everything again, have it; the caller was not answered, and repeats it
//   the version    every node has it with its next check
//   the event      every node has it at once
//   the feed       backends are told; who repeats the call tells them again

type Needs = Pick<Ports, 'restrictions' | 'events'> & {
  held: HeldRestrictions
  tell: Tell
  onTrouble: (error: unknown) => void
}

/** What stands for a user. `bannedUntilMs` is infinite for a ban that is for good. */
export type Standing = { bannedUntilMs?: number; issuedBeforeMs?: number }

export function createRestrictions({ restrictions, events, held, tell, onTrouble }: Needs) {
  /** Redis may be away: then other nodes refuse the user with their next check. */
  async function announce(userId: UserId): Promise<void> {
    const version = await restrictions.raiseVersion()
    await events.publishRestriction(userId, version).catch(onTrouble)
    await held.hear(userId, version)
  }

  return {
    /** Without `untilMs` it is for good. Replaces a ban that stands. */
    async ban(userId: UserId, untilMs?: number): Promise<void> {
      await restrictions.putBan({ kind: 'ban', userId, ...(untilMs !== undefined && { untilMs }) })
      await announce(userId)
      await tell({ type: 'user.banned', userId })
    },

    async unban(userId: UserId): Promise<void> {
      await restrictions.removeBan(userId)
      await announce(userId)
    },

    /** Never takes back an earlier call that went further. */
    async revokeTokens(userId: UserId, issuedBeforeMs: number): Promise<void> {
      await restrictions.putRevocation({ kind: 'revocation', userId, issuedBeforeMs })
      await announce(userId)
    },

    /** Returns what the tables have of each of these users, in the order asked for. */
    async of(userIds: readonly UserId[]): Promise<Standing[]> {
      const standing = new Map<UserId, Standing>()
      for (const each of await restrictions.getMany(userIds)) {
        const more =
          each.kind === 'ban'
            ? { bannedUntilMs: each.untilMs ?? Number.POSITIVE_INFINITY }
            : { issuedBeforeMs: each.issuedBeforeMs }
        standing.set(each.userId, { ...standing.get(each.userId), ...more })
      }
      return userIds.map((userId) => standing.get(userId) ?? {})
    },
  }
}
