import type { ConversationFieldsFragment } from '../../../src/client/generated/graphql.ts'
import { nameOf, type Person } from '../people.ts'
import type { Place } from '../place.ts'

/** The other person of a direct chat; alone in it, it is oneself. */
export function otherOf({ kind, members }: ConversationFieldsFragment, viewer: string): Person | undefined {
  if (kind !== 'DIRECT') return undefined
  return members.find(({ id }) => id !== viewer) ?? { id: viewer }
}

export const personTitle = (person: Person, viewer: string): string =>
  person.id === viewer ? 'Notes to self' : nameOf(person)

export function chatTitle(conversation: ConversationFieldsFragment, viewer: string): string {
  const other = otherOf(conversation, viewer)
  if (other) return personTitle(other, viewer)
  const others = conversation.members.filter(({ id }) => id !== viewer)
  return conversation.title || others.map(nameOf).join(', ') || 'Group'
}

export function chatPlace(conversation: ConversationFieldsFragment, viewer: string): Pick<Place, 'with' | 'chat'> {
  const other = otherOf(conversation, viewer)
  return other ? { with: other.id } : { chat: conversation.id }
}
