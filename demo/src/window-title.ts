import { useEffect } from 'react'
import { useConversations } from '../../src/client/react/hooks.tsx'
import { isMuted } from '../../src/client/settings.ts'
import { unreadMax } from '../../src/protocol/limits.ts'
import { useMinute } from './parts/use-minute.ts'
import { nameOf } from './people.ts'
import type { SignedIn } from './place.ts'

/** A tab in the background says what waits in it. */
export function useWindowTitle(place: SignedIn): void {
  const { conversations } = useConversations()
  const nowMs = useMinute()
  // What is muted keeps quiet.
  const heard = conversations.filter((each) => !isMuted(each, nowMs))
  const unread = heard.reduce((sum, { unreadCount }) => sum + unreadCount, 0)
  const title = `${unread > 0 ? `(${shownCount(unread)}) ` : ''}${place.name ?? nameOf({ id: place.as })} · Parley`
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

/** The server counts no further than that. */
export const shownCount = (count: number): string => (count >= unreadMax ? `${unreadMax - 1}+` : String(count))
