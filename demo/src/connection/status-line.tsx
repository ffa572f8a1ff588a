import { useConnection } from '@parley/client/react'
import styles from './status-line.module.css'

const states = { online: 'Online', offline: 'Offline', connecting: 'Connecting…', syncing: 'Catching up…' }
/** WebSocket is the normal case. The others show that the network does not let it through. */
const detours = { websocket: '', sse: ' by server-sent events', polling: ' by polling' }

export function StatusLine() {
  const { state, via } = useConnection()
  return (
    <span className={styles.status} data-state={state}>
      {states[state]}
      {state === 'online' && via && detours[via]}
    </span>
  )
}
