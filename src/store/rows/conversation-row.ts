import type { Conversation, GroupMember, Retention, Role } from '../../ports/conversations.ts'
import type { UserId } from '../../protocol/ids.ts'
import type { Item, Key } from './tables.ts'

export function toItem(conversation: Conversation): Key<'conversations'> & Partial<Item<'conversations'>> {
  const { id, kind, members, metadata } = conversation
  const common = { conversation_id: id, kind, members: [...members], ...(metadata !== undefined && { metadata }) }
  if (conversation.kind === 'DIRECT') return common
  const { title, membersById, version, pastVersions } = conversation
  const inOrder = members.map((userId) => membersById.get(userId) ?? withoutRow)
  return {
    ...common,
    title,
    roles: inOrder.map(({ role }) => role),
    joined_seqs: inOrder.map(({ joinedSeq }) => joinedSeq),
    version,
    past_versions: [...pastVersions],
  }
}

export function toConversation(item: Item<'conversations'>): Conversation {
  const { conversation_id: id, kind, members } = item
  const retention = retentionOf(item)
  const beside = { ...(item.metadata !== undefined && { metadata: item.metadata }), ...(retention && { retention }) }
  if (kind === 'DIRECT') return { id, kind, members, ...beside }
  const { title = '', roles = [], joined_seqs = [], version = 0, past_versions: pastVersions = [] } = item
  const memberAt = (i: number): GroupMember => ({
    role: roles[i] ?? withoutRow.role,
    joinedSeq: joined_seqs[i] ?? withoutRow.joinedSeq,
  })
  const membersById = new Map(members.map((userId, i) => [userId, memberAt(i)]))
  return { id, kind, title, ...beside, members, membersById, version, pastVersions }
}

/** `toItem` leaves these columns out: each is written by itself, so that no change of a group takes another one back. */
const retentionOf = ({ retention_days: days, floor_seq, emptied_seq }: Item<'conversations'>): Retention | undefined =>
  days === undefined && floor_seq === undefined
    ? undefined
    : { ...(days !== undefined && { days }), floorSeq: floor_seq ?? 0, emptiedSeq: emptied_seq ?? 0 }

export function retentionColumnsOf({ retention_days, floor_seq, emptied_seq }: Item<'conversations'>) {
  return {
    ...(retention_days !== undefined && { retention_days }),
    ...(floor_seq !== undefined && { floor_seq }),
    ...(emptied_seq !== undefined && { emptied_seq }),
  }
}

export const withoutRow: GroupMember = { role: 'MEMBER' satisfies Role, joinedSeq: 0 }

export const withMember = (members: readonly UserId[], userId: UserId, pseudonym: UserId): UserId[] =>
  members.map((each) => (each === userId ? pseudonym : each))
