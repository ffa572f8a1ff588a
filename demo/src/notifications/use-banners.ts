import type { Chat } from '@parley/client'
import { watchPush } from '@parley/client/push'
import { useChat, useConversations } from '@parley/client/react'
import { useEffect, useRef } from 'react'
import { chatRoute } from '../chats/chat-names.ts'
import { navigate } from '../parts/use-route.ts'
import { hrefOf, type Route, recipientOf, routeTo, type SignedIn } from '../route.ts'

/** Opens the chat of a clicked banner, and tells the worker which chat is open here. */
export function useBanners(route: SignedIn, serviceWorker: ServiceWorkerRegistration | undefined): void {
  const chat = useChat()
  const here = useRef(route)
  useEffect(() => {
    here.current = route
  }, [route])
  useEffect(() => {
    if (!serviceWorker) return
    return watchPush(chat, {
      serviceWorker,
      shown() {
        const to = recipientOf(here.current)
        return to && chat.conversation(to).get()?.id
      },
      open: (conversationId) => navigate(routeTo(here.current, routeOf(chat, conversationId))),
    })
  }, [chat, serviceWorker])
  useDirectRoute(route)
}

function routeOf(chat: Chat, conversationId: string): Pick<Route, 'with' | 'chat'> {
  const conversation = chat.conversation({ conversationId }).get()
  return conversation ? chatRoute(conversation, chat.userId) : { chat: conversationId }
}

/** A banner names a chat by its id. For a direct chat, this replaces the id by the person in the route. */
function useDirectRoute(route: SignedIn): void {
  const chat = useChat()
  useConversations()
  const to = route.chat ? routeOf(chat, route.chat) : {}
  const href = to.with && hrefOf(routeTo(route, to))
  useEffect(() => {
    if (!href) return
    window.history.replaceState(null, '', href)
    window.dispatchEvent(new PopStateEvent('popstate'))
  }, [href])
}
