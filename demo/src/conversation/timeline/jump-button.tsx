import type { TimelineEntry } from '@parley/client'
import { useEffect, useState } from 'react'
import { DownIcon } from '../../parts/icons.tsx'
import { shownCount } from '../../window-title.ts'
import { isNotice } from '../notices/notice-words.ts'
import { newestSeqOf } from './entries.ts'
import styles from './timeline.module.css'

type Props = { entries: readonly TimelineEntry[]; viewer: string; atBottom: boolean; onJump: () => void }

export function JumpButton({ entries, viewer, atBottom, onJump }: Props) {
  const newest = newestSeqOf(entries, viewer)
  const [seen, setSeen] = useState(newest)
  useEffect(() => {
    if (atBottom) setSeen(newest)
  }, [atBottom, newest])
  if (atBottom) return null
  const missed = entries.filter(
    (entry) =>
      entry.type === 'message' && entry.message.seq > seen && entry.message.sender.id !== viewer && !isNotice(entry),
  ).length
  const label = missed > 0 ? `Jump to newest, ${missed} new` : 'Jump to newest'
  return (
    <button type="button" className={styles.jump} aria-label={label} onClick={onJump}>
      <DownIcon />
      {missed > 0 && <span>{shownCount(missed)}</span>}
    </button>
  )
}
