import type { Chat } from './chat.ts'
import {
  type ConversationFieldsFragment,
  SetBlockedDocument,
  UpdateConversationDocument,
  type UpdateConversationInput,
} from './generated/graphql.ts'

// What an application imports as `parley/client/settings`: what is the user's own choice, on all of their devices. Everything is
// repeated until it is answered, and rejects with what the server refuses for good.

type Choice = Pick<UpdateConversationInput, 'mutedUntil' | 'pinned' | 'archived'>

async function update(chat: Chat, conversationId: string, choice: Choice): Promise<void> {
  const input = { ...choice, conversationId }
  await chat.change(async () => (await chat.ask(UpdateConversationDocument, { input })).updateConversation)
}

/** Null: no longer. What is muted is counted and shown as ever; what makes a noise is for the application to hold back. */
export const mute = (chat: Chat, conversationId: string, until: Date | null): Promise<void> =>
  update(chat, conversationId, { mutedUntil: until?.toISOString() ?? null })

export const pin = (chat: Chat, conversationId: string, pinned: boolean): Promise<void> =>
  update(chat, conversationId, { pinned })

export const archive = (chat: Chat, conversationId: string, archived: boolean): Promise<void> =>
  update(chat, conversationId, { archived })

/** Their direct messages are refused from now on; groups are untouched. */
export async function setBlocked(chat: Chat, userId: string, blocked: boolean): Promise<void> {
  await chat.insist(() => chat.ask(SetBlockedDocument, { input: { userId, blocked } }))
}

type Settings = Pick<ConversationFieldsFragment, 'pinned' | 'archived'>

/** The list as it is usually shown: what is pinned on top, what is archived apart; each in the order it came. */
export function arrange<C extends Settings>(conversations: readonly C[]): { shown: C[]; archived: C[] } {
  const here = conversations.filter(({ archived }) => !archived)
  return {
    shown: [...here.filter(({ pinned }) => pinned), ...here.filter(({ pinned }) => !pinned)],
    archived: conversations.filter(({ archived }) => archived),
  }
}

/** Whether nothing of it should make a noise now. */
export const isMuted = ({ mutedUntil }: Pick<ConversationFieldsFragment, 'mutedUntil'>, nowMs: number): boolean =>
  mutedUntil !== null && Date.parse(mutedUntil) > nowMs
