import { usePresence } from '../../../src/client/react/hooks.tsx'
import styles from './presence.module.css'

/** At the corner of a face: only who is there has one. */
export function PresenceDot({ userId }: { userId: string }) {
  const presence = usePresence(userId)
  if (presence?.state !== 'ONLINE') return null
  return (
    <span className={styles.dot}>
      <span className="visually-hidden">online</span>
    </span>
  )
}
