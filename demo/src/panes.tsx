import { useEffect, useRef } from 'react'
import { Announcer } from './announcer.tsx'
import { chatLinkId } from './chats/chat-link.tsx'
import { Sidebar } from './chats/sidebar.tsx'
import { Banner } from './connection/banner.tsx'
import { Conversation } from './conversation/conversation.tsx'
import { NoChat } from './conversation/no-chat.tsx'
import styles from './panes.module.css'
import { useFocusOnMount } from './parts/use-focus-on-mount.ts'
import { keyOf, recipientOf, type SignedIn } from './route.ts'
import { useWindowTitle } from './window-title.ts'

/** Shows the list and the chat side by side, or one of them on a phone. */
export function Panes({ route }: { route: SignedIn }) {
  const to = recipientOf(route)
  const key = to && keyOf(to)
  useWindowTitle(route)
  useFocusOnReturn(key)
  const main = useFocusOnMount(to === undefined)
  return (
    <main ref={main} tabIndex={-1} className={styles.panes} data-pane={to ? 'chat' : 'list'}>
      <h1 className="visually-hidden">Parley</h1>
      <Banner />
      <Announcer />
      <Sidebar route={route} />
      {to ? <Conversation key={key} to={to} route={route} /> : <NoChat route={route} />}
    </main>
  )
}

/** Focuses the link of the chat that was closed, so that the user goes on in the list where they left it. */
function useFocusOnReturn(key: string | undefined): void {
  const previous = useRef(key)
  useEffect(() => {
    if (!key && previous.current) document.getElementById(chatLinkId(previous.current))?.focus()
    previous.current = key
  }, [key])
}
