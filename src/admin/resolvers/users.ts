import type { AdminContext } from './context.ts'
import { notBuilt } from './not-built.ts'

/** `metadata` is the text of a JSON object. */
export type AdminUser = {
  id: string
  name?: string
  avatarUrl?: string
  metadata?: string
  banned: boolean
  bannedUntilMs?: number
  erasedAtMs?: number
  lastSeenAtMs?: number
}
export type UserWish = {
  id: string
  name?: string | null | undefined
  avatarUrl?: string | null | undefined
  metadata?: unknown
}

export function findUser(_ctx: AdminContext, _id: string): Promise<AdminUser | null> {
  throw notBuilt('user')
}

export function upsertUsers(
  _ctx: AdminContext,
  _input: { users: readonly UserWish[] },
): Promise<{ users: AdminUser[] }> {
  throw notBuilt('upsertUsers')
}
