import { createChat, type Observable } from '@parley/client'
import { WebSocket } from 'ws'
import type { OpenChat } from './small-chat.ts'

/** The same chat with the runtime of @parley/client. docs/client.md describes it. */
export const openParleyChat: OpenChat = async ({ url, token, userId, conversationId, show, notify }) => {
  const webSocket = WebSocket as unknown as typeof globalThis.WebSocket
  const chat = createChat({ url: url.replace('ws', 'http'), userId, token, webSocket })
  const to = { conversationId }
  const [messages, ticks] = [chat.messages(to), chat.ticks(to)]
  const showMessages = () =>
    show({
      messages: messages.get().entries.map((entry) => {
        if (entry.type === 'outgoing') return `${userId}: ${entry.outgoing.body} (sending)`
        const { sender, body, seq } = entry.message
        return sender.id === userId ? `${userId}: ${body} (${ticks.get().tickOf(seq)})` : `${sender.id}: ${body}`
      }),
    })
  const showChats = () =>
    show({
      chats: chat.conversations
        .get()
        .conversations.map(({ lastMessage, unreadCount }) => `${lastMessage?.body} (${unreadCount} unread)`),
    })
  const stops = [
    messages.subscribe(showMessages),
    ticks.subscribe(showMessages),
    chat.conversations.subscribe(showChats),
    chat.onMessage(({ sender, body }) => void (sender.id !== userId && notify(`${sender.id}: ${body}`))),
  ]
  await until(chat.connection, ({ state }) => state === 'online')
  showMessages()

  return {
    loadOlder: () => messages.loadOlder(),
    async send(body) {
      chat.send(to, body)
      await until(chat.outbox, (outgoing) => outgoing.length === 0)
    },
    edit: (seq, body) => chat.edit(conversationId, seq, body),
    async close() {
      for (const stop of stops) stop()
      await chat.close()
    },
  }
}

function until<T>(observable: Observable<T>, fits: (value: T) => boolean): Promise<void> {
  if (fits(observable.get())) return Promise.resolve()
  return new Promise((resolve) => {
    const stop = observable.subscribe(() => {
      if (!fits(observable.get())) return
      stop()
      resolve()
    })
  })
}
