import type { ConversationFieldsFragment } from '@parley/client'
import type { Role } from '@parley/client/groups'
import { nameOf } from '../people.ts'

export type Membership = ConversationFieldsFragment['memberships'][number]

/** Returns the membership of a user in a group. A direct chat has none. */
export const membershipOf = (conversation: ConversationFieldsFragment | undefined, userId: string) =>
  conversation?.memberships.find(({ user }) => user.id === userId)

/** Says whether a role may add and remove people, rename the group and delete messages of others. */
export const governs = (role: Role | undefined): boolean => role === 'OWNER' || role === 'ADMIN'

export const canRemove = (role: Role | undefined, theirs: Role): boolean =>
  role === 'OWNER' || (role === 'ADMIN' && theirs === 'MEMBER')

export const canGiveRoles = (role: Role | undefined): boolean => role === 'OWNER'

export const roleWords: Record<Role, string> = { OWNER: 'Owner', ADMIN: 'Admin', MEMBER: '' }

const order: readonly Role[] = ['OWNER', 'ADMIN', 'MEMBER']

/** Sorts owners first, then admins, then members. */
export const byRole = (memberships: readonly Membership[]): Membership[] =>
  [...memberships].sort((one, other) => order.indexOf(one.role) - order.indexOf(other.role))

const namedMax = 3

/** Returns a text such as "Alice, Bob and you · 3 members". */
export function membersWords(people: readonly { id: string; name?: string | null }[], viewer: string): string {
  const names = people.filter(({ id }) => id !== viewer).map(nameOf)
  const count = people.length === 1 ? '1 member' : `${people.length} members`
  if (names.length === 0) return `Only you · ${count}`
  const named = names.slice(0, namedMax)
  const rest = names.length - named.length
  const others = rest > 0 ? `${named.join(', ')}, ${rest === 1 ? '1 other' : `${rest} others`}` : named.join(', ')
  return `${others} and you · ${count}`
}
