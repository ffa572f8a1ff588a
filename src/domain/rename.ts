import { badInput } from '../protocol/errors.ts'
import type { Member } from './access.ts'

/** Gives a group another title. A direct chat has none. */
export async function rename(_member: Member, _title: string): Promise<Member> {
  throw badInput('title', 'A direct chat has no title.')
}
