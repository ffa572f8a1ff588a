import { useState } from 'react'
import { StatusLine } from '../connection/status-line.tsx'
import { DevelopersButton } from '../developers/developers-button.tsx'
import { NewGroup } from '../groups/new-group.tsx'
import { NotificationSwitch } from '../notifications/notification-switch.tsx'
import { Avatar } from '../parts/avatar.tsx'
import { GroupIcon, NewChatIcon, SwitchIcon } from '../parts/icons.tsx'
import { Logo } from '../parts/logo.tsx'
import { PlaceLink } from '../parts/place-link.tsx'
import { nameOf } from '../people.ts'
import type { SignedIn } from '../place.ts'
import { ChatList } from './chat-list.tsx'
import { NewChat } from './new-chat.tsx'
import styles from './sidebar.module.css'

export function Sidebar({ place }: { place: SignedIn }) {
  const [making, setMaking] = useState<'chat' | 'group'>()
  const name = place.name ?? nameOf({ id: place.as })
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
      <ChatList place={place} onNewChat={() => setMaking('chat')} />
      <footer className={styles.profile}>
        <Avatar id={place.as} name={name} size={38} />
        <div className={styles.me}>
          <b>{name}</b>
          <StatusLine />
        </div>
        <PlaceLink className="round-button" place={{}} aria-label="Switch person" title="Switch person">
          <SwitchIcon />
        </PlaceLink>
      </footer>
      <div className={styles.corner}>
        <DevelopersButton viewer={place.as} />
        <NotificationSwitch place={place} />
      </div>
      {making === 'chat' && <NewChat place={place} onClose={() => setMaking(undefined)} />}
      {making === 'group' && <NewGroup place={place} onClose={() => setMaking(undefined)} />}
    </nav>
  )
}
