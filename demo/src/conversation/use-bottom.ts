import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react'
import type { TimelineEntry } from '../../../src/client/index.ts'

export type Bottom = {
  scroller: RefObject<HTMLDivElement | null>
  atBottom: boolean
  onScroll(offset: number): void
  /** Sizes have changed: whoever was at the bottom still is. */
  stay(): void
  toBottom(): void
  /** Somebody is about to be taken elsewhere. */
  leave(): void
}

const nearPx = 40

/** Begins at the newest message and follows it, until the reader scrolls up; writing brings them back. */
export function useBottom(entries: readonly TimelineEntry[]): Bottom {
  const scroller = useRef<HTMLDivElement>(null)
  const [atBottom, setAtBottom] = useState(true)
  const sticks = useRef(true)
  const lastOffset = useRef(0)
  const last = entries.at(-1)

  const put = useCallback((value: boolean) => {
    sticks.current = value
    setAtBottom(value)
  }, [])
  const stay = useCallback(() => {
    const element = scroller.current
    if (sticks.current && element) element.scrollTop = element.scrollHeight
  }, [])
  const toBottom = useCallback(() => {
    put(true)
    stay()
  }, [put, stay])
  const leave = useCallback(() => {
    sticks.current = false
  }, [])
  const onScroll = useCallback(
    (offset: number) => {
      const { scrollHeight = 0, clientHeight = 0 } = scroller.current ?? {}
      if (scrollHeight - clientHeight - offset < nearPx) put(true)
      // Down or still: sizes were corrected. Only readers go up.
      else if (offset < lastOffset.current) put(false)
      lastOffset.current = offset
    },
    [put],
  )

  const writing = last?.type === 'outgoing' && last.outgoing.state === 'waiting' ? last.key : undefined
  useLayoutEffect(() => {
    if (writing) toBottom()
  }, [writing, toBottom])
  // biome-ignore lint/correctness/useExhaustiveDependencies: whatever changes in the list may have moved its end.
  useLayoutEffect(stay, [entries, stay])
  return { scroller, atBottom, onScroll, stay, toBottom, leave }
}
