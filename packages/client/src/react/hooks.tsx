import { createContext, type ReactNode, useCallback, useContext, useMemo, useState, useSyncExternalStore } from 'react'
import type { Chat } from '../chat.ts'
import type { ConversationFieldsFragment } from '../generated/graphql.ts'
import type { Connection } from '../link/connection.ts'
import { type Upload, type UploadFile, type UploadState, upload } from '../media.ts'
import { type Presence, presenceOf } from '../presence.ts'
import { type BlockedUser, blockedUsers, unreadConversations } from '../settings.ts'
import type { Observable } from '../shared/observable.ts'
import type { ConversationsState } from '../state/conversations.ts'
import type { Outgoing, Recipient, Sending } from '../state/outbox.ts'
import type { TicksState } from '../state/ticks.ts'
import type { Timeline, TimelineState } from '../state/timelines.ts'

// Each hook returns one observable of the client, and renders again when it changes.

const ChatContext = createContext<Chat | undefined>(undefined)

export function ChatProvider({ chat, children }: { chat: Chat; children: ReactNode }): ReactNode {
  return <ChatContext.Provider value={chat}>{children}</ChatContext.Provider>
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

/** Returns one conversation, with its title, members and settings. It is undefined while it is not known. */
export function useConversation(to: Recipient): ConversationFieldsFragment | undefined {
  const chat = useChat()
  const recipient = useStable(to)
  return useObservable(useMemo(() => chat.conversation(recipient), [chat, recipient]))
}

export function useMessages(to: Recipient): TimelineState & Omit<Timeline, keyof Observable<TimelineState>> {
  const { loadOlder, loadNewer, jumpTo, toNewest, ...timeline } = useChat().messages(to)
  return { ...useObservable(timeline), loadOlder, loadNewer, jumpTo, toNewest }
}

export function useSend(to: Recipient): (body: string, options?: Sending) => Outgoing {
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

/** Returns undefined while it is not known. */
export const usePresence = (userId: string): Presence | undefined => useObservable(presenceOf(useChat(), userId))

/** Returns whom the user has blocked, on any of their devices. */
export const useBlockedUsers = (): readonly BlockedUser[] => useObservable(blockedUsers(useChat()))

/** Returns the number of conversations with something unread, muted and archived ones left out: exact to 99, then 100. */
export const useUnreadConversations = (): number => useObservable(unreadConversations(useChat()))

/** Returns the progress of the last upload that was started here. Another one may be started at any time. */
export function useUpload(): { start(file: UploadFile): Upload; progress: UploadState | undefined; cancel(): void } {
  const chat = useChat()
  const [current, setCurrent] = useState<Upload>()
  const start = useCallback(
    (file: UploadFile) => {
      const begun = upload(chat, file)
      setCurrent(begun)
      return begun
    },
    [chat],
  )
  const progress = useObservable(current?.progress ?? nothing)
  return { start, progress, cancel: () => current?.cancel() }
}

const nothing: Observable<undefined> = { get: () => undefined, subscribe: () => () => undefined }

/** Returns the same object for the same recipient, because recipients are often object literals. */
function useStable(to: Recipient): Recipient {
  const [userId, conversationId] = to.userId !== undefined ? [to.userId, undefined] : [undefined, to.conversationId]
  return useMemo(
    () => (userId !== undefined ? { userId } : { conversationId: conversationId ?? '' }),
    [userId, conversationId],
  )
}
