import { useEffect, useRef } from 'react'
import type { Chat } from '../../../src/client/index.ts'
import { watchPush } from '../../../src/client/push.ts'
import { useChat, useConversations } from '../../../src/client/react/hooks.tsx'
import { chatPlace } from '../chats/chat-names.ts'
import { navigate } from '../parts/use-place.ts'
import { elsewhere, hrefOf, type Place, recipientOf, type SignedIn } from '../place.ts'

/** A click on a banner leads to the chat; what is open here needs none. */
export function useBanners(place: SignedIn, serviceWorker: ServiceWorkerRegistration | undefined): void {
  const chat = useChat()
  const here = useRef(place)
  useEffect(() => {
    here.current = place
  }, [place])
  useEffect(() => {
    if (!serviceWorker) return
    return watchPush(chat, {
      serviceWorker,
      shown() {
        const to = recipientOf(here.current)
        return to && chat.conversation(to).get()?.id
      },
      open: (conversationId) => navigate(elsewhere(here.current, placeOf(chat, conversationId))),
    })
  }, [chat, serviceWorker])
  useDirectPlace(place)
}

function placeOf(chat: Chat, conversationId: string): Pick<Place, 'with' | 'chat'> {
  const conversation = chat.conversation({ conversationId }).get()
  return conversation ? chatPlace(conversation, chat.userId) : { chat: conversationId }
}

/** A banner knows a chat by its id only; a direct one goes by its person here. */
function useDirectPlace(place: SignedIn): void {
  const chat = useChat()
  useConversations()
  const to = place.chat ? placeOf(chat, place.chat) : {}
  const href = to.with && hrefOf(elsewhere(place, to))
  useEffect(() => {
    if (!href) return
    window.history.replaceState(null, '', href)
    window.dispatchEvent(new PopStateEvent('popstate'))
  }, [href])
}
