import { useBlockedUsers, useChat, useConversations } from '@parley/client/react'
import { arrange } from '@parley/client/settings'
import { useMemo, useState } from 'react'
import { ProblemNote } from '../conversation/timeline/problem-note.tsx'
import { useMinute } from '../parts/use-minute.ts'
import { useToday } from '../parts/use-today.ts'
import { keyOf, recipientOf, type SignedIn } from '../route.ts'
import { chatItems } from './chat-items.ts'
import { ChatMenu } from './chat-menu.tsx'
import { ChatRows } from './chat-rows.tsx'
import { MoreChats } from './more-chats.tsx'
import styles from './sidebar.module.css'
import { useFocusKept } from './use-focus-kept.ts'
import { useOutbox } from './use-outbox.ts'
import { useSettings } from './use-settings.ts'

type Props = { route: SignedIn; onNewChat: () => void }
type OpenMenu = { key: string; anchor?: HTMLElement }

export function ChatList({ route, onNewChat }: Props) {
  const { userId: viewer } = useChat()
  const chats = useConversations()
  const outbox = useOutbox()
  const blocked = useBlockedUsers()
  const today = useToday()
  const nowMs = useMinute()
  const settings = useSettings()
  const [menu, setMenu] = useState<OpenMenu>()
  const items = useMemo(
    () => chatItems(chats.conversations, outbox, { viewer, nowMs, blocked }),
    [chats.conversations, outbox, viewer, nowMs, blocked],
  )
  const { shown, archived } = arrange(items)
  const open = recipientOf(route)
  const chosen = items.find(({ key }) => key === menu?.key)
  useFocusKept(chosen?.key, chosen?.archived)
  const rows = {
    route,
    today,
    openKey: open && keyOf(open),
    menuKey: menu?.anchor && menu.key,
    onMenu: (key: string, anchor: HTMLElement) =>
      setMenu(menu?.key === key && menu.anchor ? undefined : { key, anchor }),
  }
  return (
    <div className={styles.list}>
      <ChatRows items={shown} labelledBy="chats" {...rows} />
      {items.length === 0 && !chats.loading && !chats.error && (
        <div className={styles.hello}>
          <b>No chats yet</b>
          <p>Write to somebody: they need not be there.</p>
          <button type="button" className="button" onClick={onNewChat}>
            Start a chat
          </button>
        </div>
      )}
      {archived.length > 0 && (
        <details className={styles.archived}>
          <summary id="archived">Archived ({archived.length})</summary>
          <ChatRows items={archived} labelledBy="archived" {...rows} />
        </details>
      )}
      <MoreChats chats={chats} />
      <ProblemNote problem={settings.problem} onDismiss={settings.dismiss} />
      {menu && chosen && (
        <ChatMenu
          key={menu.key}
          item={chosen}
          anchor={menu.anchor}
          settings={settings}
          onClose={() => setMenu({ key: menu.key })}
        />
      )}
    </div>
  )
}
