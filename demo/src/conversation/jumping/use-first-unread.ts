import { useState } from 'react'
import type { Divider, Row } from '../timeline/rows.ts'

type Place = {
  rows: readonly Row[]
  divider: Divider | undefined
  hasOlder: boolean
  /** The index of the row at the upper edge. */
  top: number
  /** Whether the user reads further up. */
  reading: boolean
}

/** Says whether the first unread message is further up than the user has been since it came. */
export function useFirstUnread() {
  const [isAbove, setAbove] = useState(false)
  const [seen, setSeen] = useState<number>()

  function look({ rows, divider, hasOlder, top, reading }: Place): void {
    const index = rows.findIndex(({ unread }) => unread !== undefined)
    const above = divider !== undefined && (index < 0 ? hasOlder : index < top)
    setAbove(above)
    if (divider && !above && reading) setSeen(divider.afterSeq)
  }

  return { isAbove: (divider: Divider) => isAbove && divider.afterSeq !== seen, look, setSeen }
}
