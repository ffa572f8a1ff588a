// The chat list as it is shown joins the chats of the server with messages that wait on this device.

import type { ConversationFieldsFragment, Outgoing } from '@parley/client'
import { isHidden, isMuted } from '@parley/client/settings'
import { type Tick, tickOf } from '../../../src/protocol/ticks.ts'
import { hiddenWords } from '../conversation/message/hidden.ts'
import { wordsOf } from '../files/file-words.ts'
import { outgoingFileWords } from '../files/sent-files.ts'
import type { TickState } from '../parts/tick.tsx'
import { nameOf } from '../people.ts'
import { keyOf, type Route, recipientOf } from '../route.ts'
import { chatRoute, chatTitle, otherOf, personTitle } from './chat-names.ts'

export type ChatItem = {
  key: string
  to: Pick<Route, 'with' | 'chat'>
  title: string
  avatarId: string
  group: boolean
  /** Is set once the server knows the chat. */
  conversationId?: string
  unread: number
  pinned: boolean
  archived: boolean
  muted: boolean
  last?: { body: string; atMs: number; tick?: TickState; sender?: string; deleted?: boolean }
}

/** `blocked`: whom the viewer has blocked. */
type Options = { viewer: string; nowMs: number; blocked?: Parameters<typeof isHidden>[0] }

/**
 * A chat with outgoing messages comes first, whether the server knows it or not. So does a group without messages: it has no time to be
 * sorted by, and is most likely new.
 */
export function chatItems(
  conversations: readonly ConversationFieldsFragment[],
  outbox: readonly Outgoing[],
  options: Options,
): ChatItem[] {
  const { viewer } = options
  const known = conversations.map((conversation) => {
    const pending = outbox.findLast((outgoing) => isIn(outgoing, conversation, viewer))
    const isNew = conversation.kind === 'GROUP' && conversation.lastMessage === null
    const first = isNew || (pending !== undefined && pending.state !== 'failed')
    return { item: itemOf(conversation, pending, options), first }
  })
  const taken = new Set(known.map(({ item }) => item.key))
  const unheardOf = new Map<string, ChatItem>()
  for (const outgoing of outbox) {
    const item = newItemOf(outgoing, viewer)
    if (item && !taken.has(item.key)) unheardOf.set(item.key, item)
  }
  return [
    ...unheardOf.values(),
    ...known.filter(({ first }) => first).map(({ item }) => item),
    ...known.filter(({ first }) => !first).map(({ item }) => item),
  ]
}

const isIn = ({ to }: Outgoing, conversation: ConversationFieldsFragment, viewer: string): boolean =>
  'userId' in to ? otherOf(conversation, viewer)?.id === to.userId : to.conversationId === conversation.id

function itemOf(
  conversation: ConversationFieldsFragment,
  pending: Outgoing | undefined,
  { viewer, nowMs, blocked = [] }: Options,
): ChatItem {
  const to = chatRoute(conversation, viewer)
  const last = (pending && lastOutgoing(pending)) ?? lastMessage(conversation, viewer, blocked)
  const recipient = recipientOf(to)
  return {
    key: recipient ? keyOf(recipient) : conversation.id,
    to,
    title: chatTitle(conversation, viewer),
    avatarId: otherOf(conversation, viewer)?.id ?? conversation.id,
    group: conversation.kind === 'GROUP',
    conversationId: conversation.id,
    unread: conversation.unreadCount,
    pinned: conversation.pinned,
    archived: conversation.archived,
    muted: isMuted(conversation, nowMs),
    ...(last && { last }),
  }
}

function newItemOf(outgoing: Outgoing, viewer: string): ChatItem | undefined {
  if (!('userId' in outgoing.to)) return undefined
  const { userId } = outgoing.to
  return {
    key: keyOf(outgoing.to),
    to: { with: userId },
    title: personTitle({ id: userId }, viewer),
    avatarId: userId,
    group: false,
    unread: 0,
    pinned: false,
    archived: false,
    muted: false,
    last: lastOutgoing(outgoing),
  }
}

const outgoingTicks = { waiting: 'WAITING', sent: 'SENT', failed: 'FAILED' } as const

const lastOutgoing = ({ body, createdAtMs, state, attachmentIds }: Outgoing) => ({
  body: body || outgoingFileWords(attachmentIds),
  atMs: createdAtMs,
  tick: outgoingTicks[state],
})

function lastMessage(
  { lastMessage: message, ...conversation }: ConversationFieldsFragment,
  viewer: string,
  blocked: NonNullable<Options['blocked']>,
) {
  if (!message) return undefined
  const { sender, sentAt, seq, deletedAt } = message
  const others = conversation.ticks.filter(({ userId }) => userId !== viewer)
  const mine = sender.id === viewer
  const tick: Tick | undefined = mine && !deletedAt ? tickOf(seq, others) : undefined
  return {
    body: isHidden(blocked, conversation, sender.id) ? hiddenWords : wordsOf(message),
    ...(deletedAt && { deleted: true }),
    atMs: Date.parse(sentAt),
    ...(tick && { tick }),
    ...(conversation.kind === 'GROUP' && !mine && { sender: nameOf(sender) }),
  }
}
