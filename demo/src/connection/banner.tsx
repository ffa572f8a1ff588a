import { useChat, useConnection } from '@parley/client/react'
import { OfflineIcon } from '../parts/icons.tsx'
import styles from './banner.module.css'
import { useNotice } from './use-notice.ts'

/** Is always rendered, so that screen readers notice when its text appears. */
export function Banner() {
  const chat = useChat()
  const notice = useNotice()
  const { error } = useConnection()
  return (
    <div role="status" className={styles.banner} data-notice={notice}>
      {notice === 'offline' && (
        <>
          <OfflineIcon size={20} />
          <p>
            You are offline. Messages wait here and go out by themselves.
            {error && error.code !== 'NETWORK' && <span> ({error.message})</span>}
          </p>
          <button type="button" onClick={() => chat.reconnect()}>
            Try now
          </button>
        </>
      )}
      {notice === 'connecting' && <p>Connecting…</p>}
      {notice === 'syncing' && <p>Catching up…</p>}
    </div>
  )
}
