import type { ConversationFieldsFragment } from '@parley/client'
import { nameOf, type Person } from '../people.ts'
import type { Route } from '../route.ts'

/** Returns the other person of a direct chat. In notes to self it is the viewer. */
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

export function chatRoute(conversation: ConversationFieldsFragment, viewer: string): Pick<Route, 'with' | 'chat'> {
  const other = otherOf(conversation, viewer)
  return other ? { with: other.id } : { chat: conversation.id }
}
