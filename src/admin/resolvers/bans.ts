import type { AdminContext } from './context.ts'
import { notBuilt } from './not-built.ts'
import type { AdminUser } from './users.ts'

type Answer = Promise<{ user: AdminUser }>

export function banUser(_ctx: AdminContext, _input: { userId: string; until?: Date | null | undefined }): Answer {
  throw notBuilt('banUser')
}

export function unbanUser(_ctx: AdminContext, _input: { userId: string }): Answer {
  throw notBuilt('unbanUser')
}

export function revokeTokens(_ctx: AdminContext, _input: { userId: string; issuedBefore: Date }): Answer {
  throw notBuilt('revokeTokens')
}
