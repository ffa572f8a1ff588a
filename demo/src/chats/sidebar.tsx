import { useState } from 'react'
import { StatusLine } from '../connection/status-line.tsx'
import { DevelopersButton } from '../developers/developers-button.tsx'
import { NotificationSwitch } from '../notifications/notification-switch.tsx'
import { Avatar } from '../parts/avatar.tsx'
import { NewChatIcon, SwitchIcon } from '../parts/icons.tsx'
import { Logo } from '../parts/logo.tsx'
import { PlaceLink } from '../parts/place-link.tsx'
import { nameOf } from '../people.ts'
import type { SignedIn } from '../place.ts'
import { ChatList } from './chat-list.tsx'
import { NewChat } from './new-chat.tsx'
import styles from './sidebar.module.css'

export function Sidebar({ place }: { place: SignedIn }) {
  const [choosing, setChoosing] = useState(false)
  const name = place.name ?? nameOf({ id: place.as })
  return (
    <nav className={styles.sidebar} aria-label="Chats and profile">
      <header className={styles.top}>
        <Logo size={30} />
        <h2 id="chats">Chats</h2>
        <button type="button" className="round-button" aria-label="New chat" onClick={() => setChoosing(true)}>
          <NewChatIcon />
        </button>
      </header>
      <ChatList place={place} onNewChat={() => setChoosing(true)} />
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
      {choosing && <NewChat place={place} onClose={() => setChoosing(false)} />}
    </nav>
  )
}
