import { useLayoutEffect, useRef } from 'react'
import type { TimelineEntry } from '../../../src/client/index.ts'

/** Whether this render has put older messages before the ones there were: then what is on screen stays where it is. */
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
