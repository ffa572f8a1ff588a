import type { Chat } from '../chat.ts'

/** Returns a function that makes one of these for each chat, when it is first asked for. */
export function perChat<T>(create: (chat: Chat) => T): (chat: Chat) => T {
  const made = new WeakMap<Chat, { value: T }>()
  return (chat) => {
    const known = made.get(chat) ?? { value: create(chat) }
    made.set(chat, known)
    return known.value
  }
}
