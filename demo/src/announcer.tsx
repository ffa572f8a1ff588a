import type { Chat, MessageFieldsFragment } from '@parley/client'
import { useChat } from '@parley/client/react'
import { blockedUsers, isHidden, isMuted } from '@parley/client/settings'
import { useEffect, useState } from 'react'
import { wordsOf } from './files/file-words.ts'
import { nameOf } from './people.ts'

/** Messages that arrive within this time are announced together: after an absence there may be many. */
const gatherMs = 400

/** Announces new messages to screen readers. The list itself cannot, because it holds only what is on screen. */
export function Announcer() {
  const chat = useChat()
  const [said, setSaid] = useState({ words: '', turn: 0 })
  useEffect(() => {
    let gathered: MessageFieldsFragment[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = chat.onMessage((message) => {
      if (message.sender.id === chat.userId || isQuiet(chat, message)) return
      gathered.push(message)
      timer ??= setTimeout(() => {
        const words = sentence(gathered)
        gathered = []
        setSaid(({ turn }) => ({ words, turn: turn + 1 }))
        timer = undefined
      }, gatherMs)
    })
    return () => {
      clearTimeout(timer)
      stop()
    }
  }, [chat])
  return (
    <div className="visually-hidden" aria-live="polite">
      <p key={said.turn}>{said.words}</p>
    </div>
  )
}

function isQuiet(chat: Chat, { conversationId, sender }: MessageFieldsFragment): boolean {
  const conversation = chat.conversations.get().conversations.find(({ id }) => id === conversationId)
  if (!conversation) return false
  return isMuted(conversation, Date.now()) || isHidden(blockedUsers(chat).get(), conversation, sender.id)
}

function sentence(messages: readonly MessageFieldsFragment[]): string {
  const latest = messages.at(-1)
  if (!latest) return ''
  const words = `${nameOf(latest.sender)}: ${wordsOf(latest)}`
  return messages.length === 1 ? words : `${messages.length} new messages, the latest from ${words}`
}
