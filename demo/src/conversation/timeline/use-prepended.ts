import type { TimelineEntry } from '@parley/client'
import { useLayoutEffect, useRef } from 'react'

/** Says whether this render has prepended older messages. Then the messages on screen must stay where they are. */
export function usePrepended(entries: readonly TimelineEntry[]): boolean {
  const previous = useRef<string>(undefined)
  const first = entries[0]?.key
  const changed = previous.current !== undefined && first !== previous.current
  const prepended = changed && entries.some(({ key }) => key === previous.current)
  useLayoutEffect(() => {
    previous.current = first
  }, [first])
  return prepended
}
