import type { Conversation, Membership } from '../../ports/conversations.ts'
import type { Message, Reaction } from '../../ports/log.ts'
import type { Departure, Profile } from '../../ports/people.ts'
import type { Device } from '../../ports/push.ts'
import type { Report } from '../../ports/reports.ts'
import type { Restriction } from '../../ports/restrictions.ts'
import type { ConversationId, UserId } from '../../protocol/ids.ts'
import type { Boundaries } from '../../protocol/ticks.ts'
import { toTimeText } from '../../protocol/time-text.ts'
import { isIn } from '../conversations/access.ts'
import { joinedSeqOf, roleOf } from '../conversations/group.ts'
import { metadataOf } from './export-lines.ts'

// The lines of an export of a user that no other export has. docs/erasure.md explains them; columns are added and never renamed.

export function userLine(profile: Profile, standing: readonly Restriction[], lastSeenAtMs: number | undefined) {
  const { userId, name, ownName, avatarUrl, metadata } = profile
  const ban = standing.find((each) => each.kind === 'ban')
  const revocation = standing.find((each) => each.kind === 'revocation')
  return {
    type: 'user',
    id: userId,
    ...(name !== undefined && { nameOfToken: name }),
    ...(ownName !== undefined && { name: ownName }),
    ...(avatarUrl !== undefined && { avatarUrl }),
    ...metadataOf(metadata),
    ...(lastSeenAtMs !== undefined && { lastSeenAt: toTimeText(lastSeenAtMs) }),
    ...(ban && { banned: true, ...(ban.untilMs !== undefined && { bannedUntil: toTimeText(ban.untilMs) }) }),
    ...(revocation && { tokensRefusedBefore: toTimeText(revocation.issuedBeforeMs) }),
  }
}

/** Makes the line of a device. It leaves out the token, because whoever has that may be able to push to the device. */
export const deviceLine = ({ deviceId, platform, registeredAtMs }: Device) => ({
  type: 'device',
  deviceId,
  platform,
  registeredAt: toTimeText(registeredAtMs),
})

export const blockLine = (blockedId: UserId) => ({ type: 'block', userId: blockedId })

/** Makes the line of a report. It leaves out the text that was reported, because somebody else has written that. */
export const reportLine = ({ id, userId, conversationId, seq, reason, comment, createdAtMs }: Report) => ({
  type: 'report',
  id,
  userId,
  ...(conversationId !== undefined && { conversationId }),
  ...(seq !== undefined && { seq }),
  reason,
  ...(comment !== undefined && { comment }),
  createdAt: toTimeText(createdAtMs),
})

type Place = {
  conversation: Conversation | undefined
  membership: Membership | undefined
  boundaries: Boundaries | undefined
  departure: Departure | undefined
}

/** Makes the line of a membership. It names the other person of a direct chat, but nobody of a group: they may not want to be in this file. */
export function membershipLine(userId: UserId, conversationId: ConversationId, place: Place) {
  const { conversation, membership, boundaries, departure } = place
  const isMember = conversation !== undefined && isIn(userId, conversation)
  const { mutedUntilMs, pinned, archived } = membership?.settings ?? {}
  return {
    type: 'membership',
    conversationId,
    ...(conversation && { kind: conversation.kind }),
    ...(conversation?.kind === 'DIRECT' && { members: conversation.members }),
    ...(isMember && conversation.kind === 'GROUP' && { title: conversation.title, role: roleOf(conversation, userId) }),
    isMember,
    ...(isMember && { joinedSeq: joinedSeqOf(conversation, userId) }),
    lastDeliveredSeq: boundaries?.lastDeliveredSeq ?? 0,
    lastReadSeq: boundaries?.lastReadSeq ?? 0,
    ...(departure && { leftAt: toTimeText(departure.leftAtMs) }),
    ...(mutedUntilMs !== undefined && { mutedUntil: toTimeText(mutedUntilMs) }),
    ...(pinned && { pinned }),
    ...(archived && { archived }),
  }
}

/** Makes the line of a reaction. It does not repeat the message, which may be somebody else's. */
export const reactionLine = ({ conversationId, seq }: Message, { emoji }: Reaction) => ({
  type: 'reaction',
  conversationId,
  messageSeq: seq,
  emoji,
})
