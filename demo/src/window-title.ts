import { useConversations } from '@parley/client/react'
import { isMuted } from '@parley/client/settings'
import { useEffect } from 'react'
import { unreadMax } from '../../src/protocol/limits.ts'
import { useMinute } from './parts/use-minute.ts'
import { nameOf } from './people.ts'
import type { SignedIn } from './route.ts'

/** Shows the unread count in the title, for tabs in the background. */
export function useWindowTitle(route: SignedIn): void {
  const { conversations } = useConversations()
  const nowMs = useMinute()
  // Muted chats do not count.
  const heard = conversations.filter((each) => !isMuted(each, nowMs))
  const unread = heard.reduce((sum, { unreadCount }) => sum + unreadCount, 0)
  const title = `${unread > 0 ? `(${shownCount(unread)}) ` : ''}${route.name ?? nameOf({ id: route.as })} · Parley`
  useEffect(() => {
    document.title = title
  }, [title])
  useEffect(
    () => () => {
      document.title = 'Parley'
    },
    [],
  )
}

/** The server stops counting at unreadMax. */
export const shownCount = (count: number): string => (count >= unreadMax ? `${unreadMax - 1}+` : String(count))
