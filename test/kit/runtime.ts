import WebSocket from 'ws'
import {
  type Chat,
  type ChatOptions,
  createChat,
  type Observable,
  type Recipient,
} from '../../packages/client/src/index.ts'
import { signToken } from './person.ts'

export type Device = ReturnType<typeof startDevice>

/** A user's device with the client runtime on it, as an application sees it. */
export function startDevice(userId: string, url: ChatOptions['url'], options: Partial<ChatOptions> = {}) {
  const chat = createChat({
    url,
    userId,
    token: () => signToken(userId),
    webSocket: WebSocket as unknown as typeof globalThis.WebSocket,
    ...options,
  })
  /** The application was told these, as `1 hi`. */
  const told: string[] = []
  chat.onMessage(({ seq, body }) => told.push(`${seq} ${body}`))
  const looked = new Set<() => void>()

  return {
    ...chat,
    chat,
    told,
    /** Opens the timeline as a page would: it loads and stays current. */
    look(to: Recipient): void {
      looked.add(chat.messages(to).subscribe(() => undefined))
      looked.add(chat.ticks(to).subscribe(() => undefined))
    },
    /** Returns `hi SENT`, or `hi waiting`: a person sees this in the conversation. */
    sees: (to: Recipient): string[] =>
      chat
        .messages(to)
        .get()
        .entries.map((entry) =>
          entry.type === 'outgoing'
            ? `${entry.outgoing.body} ${entry.outgoing.state}`
            : `${entry.message.body}${ownTick(chat, to, entry.message)}`,
        ),
    online: () => until(chat.connection, ({ state }) => state === 'online'),
    async leave(): Promise<void> {
      for (const stop of looked) stop()
      await chat.close()
    },
  }
}

const ownTick = (chat: Chat, to: Recipient, { sender, seq }: { sender: { id: string }; seq: number }): string =>
  sender.id === chat.userId ? ` ${chat.ticks(to).get().tickOf(seq)}` : ''

/** Resolves with the first value that fits. */
function until<T>(observable: Observable<T>, fits: (value: T) => boolean): Promise<T> {
  return new Promise((resolve) => {
    const look = () => {
      const value = observable.get()
      if (!fits(value)) return
      stop()
      resolve(value)
    }
    let stop: () => void = () => undefined
    stop = observable.subscribe(look)
    look()
  })
}
