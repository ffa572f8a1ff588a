import { type BlockedUser, blockedOf } from './blocked.ts'
import type { Chat } from './chat.ts'
import {
  type ConversationFieldsFragment,
  SetBlockedDocument,
  UpdateConversationDocument,
  type UpdateConversationInput,
} from './generated/graphql.ts'
import type { Observable } from './shared/observable.ts'
import { unreadCountOf } from './unread.ts'

// Applications import this as `@parley/client/settings`. These are the user's own settings, on all of their devices. Every call is
// repeated until it is answered, and rejects if the server refuses it for good.

type Choice = Pick<UpdateConversationInput, 'mutedUntil' | 'pinned' | 'archived'>

async function update(chat: Chat, conversationId: string, choice: Choice): Promise<void> {
  const input = { ...choice, conversationId }
  await chat.change(async () => (await chat.ask(UpdateConversationDocument, { input })).updateConversation)
}

/** Null unmutes. A muted conversation is still counted and shown; the application decides what stays silent. */
export const mute = (chat: Chat, conversationId: string, until: Date | null): Promise<void> =>
  update(chat, conversationId, { mutedUntil: until?.toISOString() ?? null })

export const pin = (chat: Chat, conversationId: string, pinned: boolean): Promise<void> =>
  update(chat, conversationId, { pinned })

export const archive = (chat: Chat, conversationId: string, archived: boolean): Promise<void> =>
  update(chat, conversationId, { archived })

/**
 * Blocks a user: the server refuses their direct messages from now on. In groups they still write, and nobody is told; there apps hide what they
 * say, see `isHidden`.
 */
export async function setBlocked(chat: Chat, userId: string, blocked: boolean): Promise<void> {
  await chat.insist(() => chat.ask(SetBlockedDocument, { input: { userId, blocked } }))
  // What is shown follows. If this fails, the next link reads it again.
  await blockedOf(chat)
    .read()
    .catch(() => undefined)
}

/** The users whom the user has blocked, on any of their devices. It is read while it has a subscriber. */
export const blockedUsers = (chat: Chat): Observable<readonly BlockedUser[]> => blockedOf(chat)

/** Says whether an app hides what this user says in a conversation, and shows it on demand: it is a group, and the viewer has blocked them. */
export const isHidden = (
  blocked: readonly Pick<BlockedUser, 'id'>[],
  { kind }: Pick<ConversationFieldsFragment, 'kind'>,
  senderId: string,
): boolean => kind === 'GROUP' && blocked.some(({ id }) => id === senderId)

export type { BlockedUser }

/**
 * The number of conversations with something unread, muted and archived ones left out: exact to 99, then 100. It is kept up to date while
 * it has a subscriber.
 */
export const unreadConversations = (chat: Chat): Observable<number> => unreadCountOf(chat)

type Settings = Pick<ConversationFieldsFragment, 'pinned' | 'archived'>

/** Splits the list as apps usually show it: pinned conversations come first, archived ones are apart. Each part keeps its order. */
export function arrange<C extends Settings>(conversations: readonly C[]): { shown: C[]; archived: C[] } {
  const here = conversations.filter(({ archived }) => !archived)
  return {
    shown: [...here.filter(({ pinned }) => pinned), ...here.filter(({ pinned }) => !pinned)],
    archived: conversations.filter(({ archived }) => archived),
  }
}

/** Says whether the conversation is muted now. */
export const isMuted = ({ mutedUntil }: Pick<ConversationFieldsFragment, 'mutedUntil'>, nowMs: number): boolean =>
  mutedUntil !== null && Date.parse(mutedUntil) > nowMs
