import { usePresence } from '@parley/client/react'
import styles from './presence.module.css'

/** Marks the avatar of a user who is online. */
export function PresenceDot({ userId }: { userId: string }) {
  const presence = usePresence(userId)
  if (presence?.state !== 'ONLINE') return null
  return (
    <span className={styles.dot}>
      <span className="visually-hidden">online</span>
    </span>
  )
}
