import type { FactType, FeedFact, FeedPartition, FeedPosition } from '../../ports/feed.ts'
import type { Alteration, Change, GroupChange, LogEntry, Message } from '../../ports/log.ts'
import type { ConversationId, Seq } from '../../protocol/ids.ts'
import { toTimeText } from '../../protocol/time-text.ts'

// What consumers of the feed are told. An entry is shown as it is when it is read: a message that was edited since has its new text, and one
// that was deleted has none. docs/events.md is the reference.

export type FeedEventType =
  | FactType
  | 'message.sent'
  | 'message.edited'
  | 'message.deleted'
  | 'message.reacted'
  | 'conversation.created'
  | 'members.added'
  | 'members.removed'

/** `id` is the same however often the event is read. `position` is where its partition goes on after it, and may be within a row: positions.ts. */
export type FeedEvent = {
  id: string
  type: FeedEventType
  occurredAtMs: number
  /** When it came into the feed, if it was read from there. History that was brought along came long after it had occurred. */
  announcedAtMs?: number
  conversationId?: ConversationId
  seq?: Seq
  /** Which of the events of its entry it is, counted from 0. */
  nth: number
  data: Readonly<Record<string, unknown>>
  partition: FeedPartition
  position: FeedPosition
}

/** Says that the metadata is another now. The feed does not repeat it. */
export const changedMetadata = { metadataChanged: true }

type Told = Pick<FeedEvent, 'type' | 'data'> & { part?: string }
/** `atMs` is the time of the row. */
export type Place = Pick<FeedEvent, 'partition' | 'position'> & { atMs?: number }

/** `memberIds` are given with the first message of a direct chat: the two people in it. */
export function eventsOfEntry(entry: LogEntry, place: Place, memberIds?: readonly string[]): FeedEvent[] {
  const { conversationId, seq, sentAtMs } = entry
  return toldOf(entry, memberIds).map(({ type, data, part }, nth) => ({
    id: ['evt', conversationId, seq, ...(part === undefined ? [] : [part])].join('_'),
    type,
    occurredAtMs: sentAtMs,
    conversationId,
    seq,
    nth,
    data,
    ...(place.atMs !== undefined && { announcedAtMs: place.atMs }),
    partition: place.partition,
    position: place.position,
  }))
}

export function eventOfFact(fact: FeedFact & { atMs: number }, place: Place): FeedEvent {
  const { id, type, conversationId, userId, data } = fact
  return {
    id: `evt_${id}`,
    type,
    occurredAtMs: fact.atMs,
    ...(conversationId !== undefined && { conversationId }),
    announcedAtMs: fact.atMs,
    nth: 0,
    data: { ...(userId !== undefined && { userId }), ...(JSON.parse(data ?? '{}') as object) },
    partition: place.partition,
    position: place.position,
  }
}

function toldOf(entry: LogEntry, memberIds: readonly string[] | undefined): Told[] {
  if (entry.kind === 'change') return [toldOfChange(entry, entry.alteration)]
  if (entry.kind === 'group') return toldOfGroupChange(entry)
  const created: Told[] = memberIds
    ? [{ part: 'created', type: 'conversation.created', data: { kind: 'DIRECT', actorId: entry.senderId, memberIds } }]
    : []
  return [...created, { type: 'message.sent', data: messageData(entry) }]
}

const messageData = (message: Message): FeedEvent['data'] => ({
  messageId: message.messageId,
  kind: message.system ? 'SYSTEM' : 'USER',
  senderId: message.senderId,
  clientMessageId: message.clientMessageId,
  body: message.body,
  metadata: message.metadata === undefined ? null : JSON.parse(message.metadata),
  replyToSeq: message.replyToSeq ?? null,
  attachments: (message.attachments ?? []).map(({ id, contentType, byteSize, name }) => ({
    id,
    contentType,
    byteSize,
    name: name ?? null,
  })),
  sentAt: toTimeText(message.sentAtMs),
  editedAt: message.edited ? toTimeText(message.edited.atMs) : null,
  deletedAt: message.deletedAtMs === undefined ? null : toTimeText(message.deletedAtMs),
})

function toldOfChange({ senderId: actorId, targetSeq }: Change, alteration: Alteration): Told {
  if (alteration.type === 'edit')
    // An edit that another one has replaced since has lost its text.
    return { type: 'message.edited', data: { targetSeq, actorId, body: alteration.body || null } }
  if (alteration.type === 'delete') return { type: 'message.deleted', data: { targetSeq, actorId } }
  const { emoji, on } = alteration
  return { type: 'message.reacted', data: { targetSeq, actorId, emoji, on } }
}

function toldOfGroupChange(change: GroupChange): Told[] {
  const { baseVersion, senderId: actorId, added, removed, roles, title, metadata } = change
  if (baseVersion === 0)
    return [{ type: 'conversation.created', data: { kind: 'GROUP', actorId, memberIds: added, title: title ?? null } }]
  const told: Told[] = []
  if (added.length > 0) told.push({ part: 'added', type: 'members.added', data: { actorId, userIds: added } })
  if (removed.length > 0) told.push({ part: 'removed', type: 'members.removed', data: { actorId, userIds: removed } })
  const changedRoles = roles.filter(({ userId }) => !added.includes(userId))
  if (title !== undefined || changedRoles.length > 0 || metadata !== undefined)
    told.push({
      part: 'updated',
      type: 'conversation.updated',
      data: {
        actorId,
        ...(title !== undefined && { title }),
        ...(changedRoles.length > 0 && { roles: changedRoles }),
        ...(metadata !== undefined && changedMetadata),
      },
    })
  return told
}
