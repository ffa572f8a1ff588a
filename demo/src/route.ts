// The address bar holds the user and the chat. So two windows can be two users, and a reload changes nothing.

import type { Recipient } from '@parley/client'
import { isConversationId, isUserId } from '../../src/protocol/ids.ts'

export type Route = {
  as?: string
  /** The name that the user has typed. Sample people have none here. */
  name?: string
  /** The other person of a direct chat. */
  with?: string
  /** The id of any other chat. */
  chat?: string
}

/** The route of a signed-in user. */
export type SignedIn = Route & { as: string }

export function readRoute(search: string): Route {
  const asked = new URLSearchParams(search)
  const [as, name, other, chat] = ['as', 'name', 'with', 'chat'].map((key) => asked.get(key) ?? undefined)
  if (!isUserId(as)) return {}
  return {
    as,
    ...(name && { name }),
    ...(isUserId(other) ? { with: other } : isConversationId(chat) && { chat }),
  }
}

export function hrefOf(route: Route): string {
  const search = new URLSearchParams()
  for (const key of ['as', 'name', 'with', 'chat'] as const) if (route[key]) search.set(key, route[key])
  return search.size > 0 ? `/?${search}` : '/'
}

export const recipientOf = (route: Route): Recipient | undefined => {
  if (route.with) return { userId: route.with }
  return route.chat ? { conversationId: route.chat } : undefined
}

/** Returns a route of the same user to another chat, or to none. */
export const routeTo = ({ as, name }: Route, to: Pick<Route, 'with' | 'chat'> = {}): Route => ({
  ...(as && { as }),
  ...(name && { name }),
  ...to,
})

export const keyOf = (to: Recipient): string => ('userId' in to ? `with:${to.userId}` : `chat:${to.conversationId}`)
