import type { TimelineEntry } from '@parley/client'
import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react'

export type Bottom = {
  scroller: RefObject<HTMLDivElement | null>
  atBottom: boolean
  onScroll(offset: number): void
  /** Stays at the bottom after sizes have changed. */
  stay(): void
  toBottom(): void
  /** Stops following the bottom, because the list is about to scroll to another message. */
  leave(): void
}

const nearPx = 40

/**
 * Begins at the newest message and follows it, until the reader scrolls up or jumps; writing brings them back. While there are newer messages
 * than those that are loaded, the end of the list is not the bottom.
 */
export function useBottom(entries: readonly TimelineEntry[], hasNewer: boolean, toNewest: () => Promise<void>): Bottom {
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
    const go = () => {
      put(true)
      stay()
    }
    if (hasNewer) toNewest().then(go, () => undefined)
    else go()
  }, [put, stay, hasNewer, toNewest])
  const leave = useCallback(() => {
    sticks.current = false
  }, [])
  const onScroll = useCallback(
    (offset: number) => {
      const { scrollHeight = 0, clientHeight = 0 } = scroller.current ?? {}
      if (!hasNewer && scrollHeight - clientHeight - offset < nearPx) put(true)
      // An offset that stays or grows comes from corrected sizes. Only users scroll up.
      else if (offset < lastOffset.current) put(false)
      lastOffset.current = offset
    },
    [put, hasNewer],
  )

  const writing = last?.type === 'outgoing' && last.outgoing.state === 'waiting' ? last.key : undefined
  useLayoutEffect(() => {
    if (writing) toBottom()
  }, [writing, toBottom])
  // biome-ignore lint/correctness/useExhaustiveDependencies: any change of the list may have moved its end.
  useLayoutEffect(stay, [entries, stay])
  return { scroller, atBottom, onScroll, stay, toBottom, leave }
}
