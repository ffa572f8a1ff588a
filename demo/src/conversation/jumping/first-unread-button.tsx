import type { MouseEvent } from 'react'
import { UpIcon } from '../../parts/icons.tsx'
import { shownCount } from '../../window-title.ts'
import styles from './first-unread-button.module.css'

type Props = { count: number; onJump: (byKeyboard: boolean) => void }

export function FirstUnreadButton({ count, onJump }: Props) {
  return (
    <button type="button" className={styles.firstUnread} onClick={({ detail }: MouseEvent) => onJump(detail === 0)}>
      <UpIcon size={16} />
      {count === 1 ? '1 new message' : `${shownCount(count)} new messages`}
    </button>
  )
}
