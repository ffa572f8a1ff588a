import { useEffect, useRef } from 'react'
import { Announcer } from './announcer.tsx'
import { chatLinkId } from './chats/chat-link.tsx'
import { Sidebar } from './chats/sidebar.tsx'
import { Banner } from './connection/banner.tsx'
import { Conversation } from './conversation/conversation.tsx'
import { NoChat } from './conversation/no-chat.tsx'
import styles from './panes.module.css'
import { useArrival } from './parts/use-arrival.ts'
import { keyOf, recipientOf, type SignedIn } from './place.ts'
import { useWindowTitle } from './window-title.ts'

/** Side by side where there is room; on a phone the list or the chat. */
export function Panes({ place }: { place: SignedIn }) {
  const to = recipientOf(place)
  const key = to && keyOf(to)
  useWindowTitle(place)
  useFocusOnReturn(key)
  const main = useArrival(to === undefined)
  return (
    <main ref={main} tabIndex={-1} className={styles.panes} data-pane={to ? 'chat' : 'list'}>
      <h1 className="visually-hidden">Parley</h1>
      <Banner />
      <Announcer />
      <Sidebar place={place} />
      {to ? <Conversation key={key} to={to} place={place} /> : <NoChat place={place} />}
    </main>
  )
}

/** Whoever closes a chat finds the list where they left it. */
function useFocusOnReturn(key: string | undefined): void {
  const previous = useRef(key)
  useEffect(() => {
    if (!key && previous.current) document.getElementById(chatLinkId(previous.current))?.focus()
    previous.current = key
  }, [key])
}
