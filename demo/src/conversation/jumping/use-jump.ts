import { useEffect, useState } from 'react'
import type { Row } from '../timeline/rows.ts'

/** Where to jump to: a message, or the first unread one, if this seq is the last that was read. */
type Target = { seq: number; firstUnread: boolean; byKeyboard: boolean }

type Needs = {
  rows: readonly Row[]
  /** Loads the messages around a seq, unless they are loaded. */
  jumpTo: (seq: number) => Promise<void>
  /** Stops following the newest message. */
  leave: () => void
  find: (index: number, key: string, byKeyboard: boolean) => void
}

/** Jumps to a message however far it is: it is loaded first, and found when it is there. */
export function useJump({ rows, jumpTo, leave, find }: Needs) {
  const [loading, setLoading] = useState(false)
  const [arrived, setArrived] = useState<Target>()

  function jump(target: Target): void {
    leave()
    setLoading(true)
    jumpTo(target.seq)
      // If it fails, the timeline says so.
      .then(
        () => setArrived(target),
        () => undefined,
      )
      .finally(() => setLoading(false))
  }

  useEffect(() => {
    if (!arrived) return
    const index = rows.findIndex((row) => isAt(row, arrived))
    const row = rows[index]
    setArrived(undefined)
    if (row) find(index, row.key, arrived.byKeyboard)
  }, [arrived, rows, find])

  return {
    isJumping: loading || arrived !== undefined,
    toMessage: (seq: number, byKeyboard: boolean) => jump({ seq, firstUnread: false, byKeyboard }),
    toFirstUnread: (seq: number, byKeyboard: boolean) => jump({ seq, firstUnread: true, byKeyboard }),
  }
}

const isAt = ({ entry, unread }: Row, { seq, firstUnread }: Target): boolean =>
  firstUnread ? unread !== undefined : entry.type === 'message' && entry.message.seq === seq
