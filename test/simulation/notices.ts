import type { MessageOrNotice } from '../../src/domain/conversations/notices.ts'
import type { Domain } from '../../src/domain/domain.ts'
import type { GroupChange } from '../../src/ports/log.ts'
import type { Change } from './bugs/bugs.ts'
import { type Anomaly, type FinalChat, only } from './final-log.ts'
import type { Entry } from './history.ts'
import { chainOf } from './tenures.ts'

// Runs in which every stream and every page shows notices. For the checks, a group change that took effect is then a message like the others,
// and one that did not is nothing: to show it would be an anomaly.

/** This is no bug. It draws no number of its own, so a seed means the same people and faults as without it. */
export const withNotices: Change = {
  name: 'notices',
  plant: (ports) => ports,
  plantOnto: askForNotices,
}

/** A change that lost is shown as if it had taken effect. */
export const showsLostChanges: Change = {
  name: 'a notice of a change that lost',
  plant: (ports) => ({
    ...ports,
    conversations: {
      ...ports.conversations,
      // Every seq up to its version passes for a version of the group.
      async getMany(ids) {
        const found = await ports.conversations.getMany(ids)
        return found.map((each) =>
          each.kind === 'GROUP'
            ? { ...each, pastVersions: Array.from({ length: each.version - 1 }, (_, i) => i + 1) }
            : each,
        )
      },
    },
  }),
  plantOnto: askForNotices,
}

function askForNotices(domain: Domain): Domain {
  const { follow, history } = domain
  return {
    ...domain,
    follow: (request) => follow({ ...request, notices: true }),
    history: { ...history, page: (member, asked) => history.page(member, { ...asked, notices: true }) },
  }
}

export const isNotice = (message: MessageOrNotice): boolean => message.notice !== undefined

/** Returns the chats with the changes that took effect as messages. */
export const withNoticesInLog = (chats: readonly FinalChat[]): FinalChat[] =>
  chats.map((chat) => {
    const versions = new Set(chat.group ? chainOf(chat.group, chat.rows).map(({ seq }) => seq) : [])
    return {
      ...chat,
      rows: chat.rows.map((row) => (row.kind === 'group' && versions.has(row.seq) ? noticeOf(row) : row)),
    }
  })

const noticeOf = ({
  baseVersion,
  added,
  removed,
  roles,
  title,
  metadata,
  applied,
  ...entry
}: GroupChange): MessageOrNotice => ({
  ...entry,
  kind: 'message',
  body: '',
  notice: { conversationId: entry.conversationId, kind: 'ROLES_CHANGED', actorId: entry.senderId, userIds: [] },
})

/**
 * P4: every device of a final member was shown each change since, and with, the one that added them. A device whose positions the server keeps
 * begins where its user's other devices were then.
 */
export function checkNotices(entries: readonly Entry[], chats: readonly FinalChat[]): Anomaly[] {
  const shown = new Set(only(entries, 'shown').map(({ who, message }) => `${who} ${message.messageId}`))
  const began = new Map(only(entries, 'begins').map(({ who, began }) => [who, began]))
  const devices = new Map(only(entries, 'stream').map(({ who, userId }) => [who, userId]))
  return chats.flatMap(({ id, group, rows }) =>
    [...devices].flatMap(([who, userId]) => {
      const member = group?.membersById.get(userId)
      if (!group || !member) return []
      return chainOf(group, rows)
        .filter(({ seq }) => seq >= member.joinedSeq && seq > (began.get(who)?.get(id) ?? 0))
        .filter(({ messageId }) => !shown.has(`${who} ${messageId}`))
        .map(({ seq }) => ({ promise: 'P4', what: `${who} was never shown the notice #${seq} of ${id}` }))
    }),
  )
}
