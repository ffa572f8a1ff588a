import { createContext, type ReactNode, useCallback, useContext, useMemo, useSyncExternalStore } from 'react'
import type { Chat } from '../chat.ts'
import type { Connection } from '../connection.ts'
import type { ConversationsState } from '../conversations.ts'
import type { Observable } from '../observable.ts'
import type { Outgoing, Recipient } from '../outbox.ts'
import type { TicksState } from '../ticks.ts'
import type { TimelineState } from '../timelines.ts'

// The runtime for React components: each hook shows one observable of it, and renders when that changes.

const ChatContext = createContext<Chat | undefined>(undefined)

export function ChatProvider({ chat, children }: { chat: Chat; children: ReactNode }): ReactNode {
  return <ChatContext value={chat}>{children}</ChatContext>
}

export function useChat(): Chat {
  const chat = useContext(ChatContext)
  if (!chat) throw new Error('There is no <ChatProvider chat={…}> around this component.')
  return chat
}

const useObservable = <T,>({ subscribe, get }: Observable<T>): T => useSyncExternalStore(subscribe, get, get)

export const useConnection = (): Connection => useObservable(useChat().connection)

export function useConversations(): ConversationsState & { loadMore(): Promise<void> } {
  const chat = useChat()
  return { ...useObservable(chat.conversations), loadMore: chat.loadMoreConversations }
}

export function useMessages(to: Recipient): TimelineState & { loadOlder(): Promise<void> } {
  const timeline = useChat().messages(to)
  return { ...useObservable(timeline), loadOlder: timeline.loadOlder }
}

export function useSend(to: Recipient): (body: string, options?: { replyToSeq?: number }) => Outgoing {
  const chat = useChat()
  const recipient = useStable(to)
  return useCallback((body, options) => chat.send(recipient, body, options), [chat, recipient])
}

export function useTicks(to: Recipient): TicksState {
  const chat = useChat()
  const recipient = useStable(to)
  return useObservable(useMemo(() => chat.ticks(recipient), [chat, recipient]))
}

export function useTyping(to: Recipient): readonly string[] {
  const chat = useChat()
  const recipient = useStable(to)
  return useObservable(useMemo(() => chat.typing(recipient), [chat, recipient]))
}

/** The same object as long as it names the same: recipients are often written in place. */
function useStable(to: Recipient): Recipient {
  const [userId, conversationId] = to.userId !== undefined ? [to.userId, undefined] : [undefined, to.conversationId]
  return useMemo(
    () => (userId !== undefined ? { userId } : { conversationId: conversationId ?? '' }),
    [userId, conversationId],
  )
}
