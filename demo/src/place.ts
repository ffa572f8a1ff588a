// What the address bar says: who is looking, and at which chat. Two windows can be two people, and a reload changes nothing.

import type { Recipient } from '../../src/client/index.ts'
import { isConversationId, isUserId } from '../../src/protocol/ids.ts'

export type Place = {
  as?: string
  /** Of somebody who typed it; the sample people have theirs. */
  name?: string
  /** A direct chat, by the other person. */
  with?: string
  /** Any other chat, by its id. */
  chat?: string
}

/** Where somebody signed in is. */
export type SignedIn = Place & { as: string }

export function readPlace(search: string): Place {
  const asked = new URLSearchParams(search)
  const [as, name, other, chat] = ['as', 'name', 'with', 'chat'].map((key) => asked.get(key) ?? undefined)
  if (!isUserId(as)) return {}
  return {
    as,
    ...(name && { name }),
    ...(isUserId(other) ? { with: other } : isConversationId(chat) && { chat }),
  }
}

export function hrefOf(place: Place): string {
  const search = new URLSearchParams()
  for (const key of ['as', 'name', 'with', 'chat'] as const) if (place[key]) search.set(key, place[key])
  return search.size > 0 ? `/?${search}` : '/'
}

export const recipientOf = (place: Place): Recipient | undefined => {
  if (place.with) return { userId: place.with }
  return place.chat ? { conversationId: place.chat } : undefined
}

/** The same person, at another chat or at none. */
export const elsewhere = ({ as, name }: Place, to: Pick<Place, 'with' | 'chat'> = {}): Place => ({
  ...(as && { as }),
  ...(name && { name }),
  ...to,
})

export const keyOf = (to: Recipient): string => ('userId' in to ? `with:${to.userId}` : `chat:${to.conversationId}`)
