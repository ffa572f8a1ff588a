import type { Conversation, Group } from '../../ports/conversations.ts'
import type { GroupChange, Message } from '../../ports/log.ts'
import type { ConversationId, UserId } from '../../protocol/ids.ts'
import type { Groups } from './groups.ts'
import type { PastVersions } from './past-versions.ts'

// A notice is how a group change is shown among messages, to clients that ask for notices. It has the place, the time and the author of the
// change and no text. A change that did not take effect has no notice.
//
// A notice is shown to those who are in the group after its change: a user who was added sees that as the first entry of their view, and
// a user who was removed does not see it, as the group no longer exists for them.

export type NoticeKind =
  | 'CREATED'
  | 'MEMBERS_ADDED'
  | 'MEMBERS_REMOVED'
  | 'MEMBER_LEFT'
  | 'ROLES_CHANGED'
  | 'TITLE_CHANGED'

/** `title` is that of a group that was created or renamed. */
export type Notice = NoticeFacts & { conversationId: ConversationId }
type NoticeFacts = { kind: NoticeKind; actorId: UserId; userIds: readonly UserId[]; title?: string }

/** What a page or a stream with notices shows. */
export type MessageOrNotice = Message & { notice?: Notice }

type Needs = Pick<PastVersions, 'tookEffect'> & { decideChange: Groups['decideChange'] }

export type Notices = ReturnType<typeof createNotices>

export function createNotices({ tookEffect, decideChange }: Needs) {
  /** Returns the notice of a change that is decided in this group; undefined if the change did not take effect. */
  async function ofDecided(group: Group, change: GroupChange): Promise<MessageOrNotice | undefined> {
    return isShown(change) && (await tookEffect(group, change)) ? noticeOf(change) : undefined
  }

  /** Does the same for any change, and decides it first where the known version of the group is older. */
  async function of(change: GroupChange, known?: Conversation): Promise<MessageOrNotice | undefined> {
    const isDecided = known?.kind === 'GROUP' && change.seq <= known.version
    const group = isDecided ? known : await decideChange(change)
    return group && ofDecided(group, change)
  }

  return { ofDecided, of }
}

/** A change of nothing but the metadata, which a backend has made, is no news for people. */
const isShown = ({ baseVersion, added, removed, roles, title }: GroupChange): boolean =>
  baseVersion === 0 || title !== undefined || added.length + removed.length + roles.length > 0

/** All streams of a node get the change as the same object. They then share its notice, and what is written of it. */
const made = new WeakMap<GroupChange, MessageOrNotice>()

function noticeOf(change: GroupChange): MessageOrNotice {
  const known = made.get(change)
  if (known) return known
  const { conversationId, seq, messageId, clientMessageId, senderId, sentAtMs } = change
  const entry = { conversationId, seq, messageId, clientMessageId, senderId, sentAtMs }
  const notice: MessageOrNotice = {
    kind: 'message',
    ...entry,
    body: '',
    notice: { conversationId, ...factsOf(change) },
  }
  made.set(change, notice)
  return notice
}

/** A change that does several things at once is shown as the first of them here: one entry of the log is one notice. */
function factsOf({ baseVersion, senderId: actorId, added, removed, roles, title }: GroupChange): NoticeFacts {
  if (baseVersion === 0) {
    const userIds = added.filter((userId) => userId !== actorId)
    return { kind: 'CREATED', actorId, userIds, ...(title !== undefined && { title }) }
  }
  if (added.length > 0) return { kind: 'MEMBERS_ADDED', actorId, userIds: added }
  if (removed.length === 1 && removed[0] === actorId) return { kind: 'MEMBER_LEFT', actorId, userIds: removed }
  if (removed.length > 0) return { kind: 'MEMBERS_REMOVED', actorId, userIds: removed }
  if (title === undefined) return { kind: 'ROLES_CHANGED', actorId, userIds: roles.map(({ userId }) => userId) }
  return { kind: 'TITLE_CHANGED', actorId, userIds: [], title }
}
