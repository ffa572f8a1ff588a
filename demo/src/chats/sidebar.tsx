import { useState } from 'react'
import { StatusLine } from '../connection/status-line.tsx'
import { DevelopersButton } from '../developers/developers-button.tsx'
import { NewGroup } from '../groups/new-group.tsx'
import { NotificationSwitch } from '../notifications/notification-switch.tsx'
import { Avatar } from '../parts/avatar.tsx'
import { GroupIcon, NewChatIcon, SwitchIcon } from '../parts/icons.tsx'
import { Logo } from '../parts/logo.tsx'
import { RouteLink } from '../parts/route-link.tsx'
import { nameOf } from '../people.ts'
import type { SignedIn } from '../route.ts'
import { ChatList } from './chat-list.tsx'
import { NewChat } from './new-chat.tsx'
import styles from './sidebar.module.css'

export function Sidebar({ route }: { route: SignedIn }) {
  const [making, setMaking] = useState<'chat' | 'group'>()
  const name = route.name ?? nameOf({ id: route.as })
  return (
    <nav className={styles.sidebar} aria-label="Chats and profile">
      <header className={styles.top}>
        <Logo size={30} />
        <h2 id="chats">Chats</h2>
        <button
          type="button"
          className="round-button"
          aria-label="New group"
          title="New group"
          onClick={() => setMaking('group')}
        >
          <GroupIcon />
        </button>
        <button
          type="button"
          className="round-button"
          aria-label="New chat"
          title="New chat"
          onClick={() => setMaking('chat')}
        >
          <NewChatIcon />
        </button>
      </header>
      <ChatList route={route} onNewChat={() => setMaking('chat')} />
      <footer className={styles.profile}>
        <Avatar id={route.as} name={name} size={38} />
        <div className={styles.me}>
          <b>{name}</b>
          <StatusLine />
        </div>
        <RouteLink className="round-button" route={{}} aria-label="Switch person" title="Switch person">
          <SwitchIcon />
        </RouteLink>
      </footer>
      <div className={styles.corner}>
        <DevelopersButton viewer={route.as} />
        <NotificationSwitch route={route} />
      </div>
      {making === 'chat' && <NewChat route={route} onClose={() => setMaking(undefined)} />}
      {making === 'group' && <NewGroup route={route} onClose={() => setMaking(undefined)} />}
    </nav>
  )
}
