import type { ConversationsState } from '@parley/client'
import { useConnection } from '@parley/client/react'
import { useEffect, useRef } from 'react'
import styles from './sidebar.module.css'

type Props = { chats: ConversationsState & { loadMore(): Promise<void> } }

/** Ends the list, and loads the next page when it comes into view. */
export function MoreChats({ chats }: Props) {
  const { loading, hasMore, error, loadMore } = chats
  const { state } = useConnection()
  const end = useRef<HTMLButtonElement>(null)
  const load = useRef(loadMore)
  load.current = loadMore
  const waits = hasMore && !loading && !error
  useEffect(() => {
    if (!waits || !end.current) return
    const observer = new IntersectionObserver(([seen]) => {
      if (seen?.isIntersecting) load.current().catch(console.error)
    })
    observer.observe(end.current)
    return () => observer.disconnect()
  }, [waits])
  const more = () => {
    loadMore().catch(console.error)
  }
  if (error && !loading) {
    return (
      <div className={styles.note}>
        The chats could not be loaded.{' '}
        <button type="button" className="quiet-button" onClick={more}>
          Try again
        </button>
      </div>
    )
  }
  // Without a connection the banner says why nothing comes.
  if (loading) return state === 'offline' ? null : <p className={styles.note}>Loading chats…</p>
  if (!hasMore) return null
  return (
    <div className={styles.note}>
      <button ref={end} type="button" className="quiet-button" onClick={more}>
        More chats
      </button>
    </div>
  )
}
