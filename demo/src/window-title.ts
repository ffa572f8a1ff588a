import { useUnreadConversations } from '@parley/client/react'
import { useEffect } from 'react'
import { unreadMax } from '../../src/protocol/limits.ts'
import { nameOf } from './people.ts'
import type { SignedIn } from './route.ts'

/** Shows in the title how many chats have something unread, for tabs in the background. Muted and archived chats do not count. */
export function useWindowTitle(route: SignedIn): void {
  const unread = useUnreadConversations()
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
