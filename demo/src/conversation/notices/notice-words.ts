import type { NoticeFieldsFragment, TimelineEntry } from '@parley/client'
import { nameOf, type Person } from '../../people.ts'

const namedMax = 3

/** Returns what a notice says, or undefined for everything else: "Alice added Bob". */
export function noticeWords(entry: TimelineEntry, viewer: string): string | undefined {
  const notice = entry.type === 'message' ? entry.message.notice : undefined
  return notice ? sentence(notice, viewer) : undefined
}

export const isNotice = (entry: TimelineEntry): boolean => entry.type === 'message' && Boolean(entry.message.notice)

function sentence({ kind, actor, users, title }: NoticeFieldsFragment, viewer: string): string {
  const who = actor.id === viewer ? 'You' : nameOf(actor)
  const whom = namesOf(users, viewer)
  switch (kind) {
    case 'CREATED':
      return `${who} created “${title ?? ''}”`
    case 'MEMBERS_ADDED':
      return `${who} added ${whom}`
    case 'MEMBERS_REMOVED':
      return `${who} removed ${whom}`
    case 'MEMBER_LEFT':
      return `${who} left`
    case 'ROLES_CHANGED':
      return `${who} changed what ${whom} may do`
    case 'TITLE_CHANGED':
      return `${who} changed the title to “${title ?? ''}”`
  }
}

/** "Bob", "Bob and you", "Bob, Carol, Dave and 4 others". */
function namesOf(people: readonly Person[], viewer: string): string {
  const others = people.filter(({ id }) => id !== viewer).map(nameOf)
  const names = others.slice(0, namedMax)
  const rest = others.length - names.length
  if (rest > 0) names.push(rest === 1 ? '1 other' : `${rest} others`)
  if (others.length < people.length) names.push('you')
  const last = names.pop() ?? ''
  return names.length > 0 ? `${names.join(', ')} and ${last}` : last
}
