import type { TimelineEntry } from '@parley/client'
import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react'
import type { VirtualizerHandle } from 'virtua'

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
/** Further down than any list goes: whoever scrolls there stops at its end. */
const veryEndPx = Number.MAX_SAFE_INTEGER

type Needs = {
  list: RefObject<VirtualizerHandle | null>
  entries: readonly TimelineEntry[]
  hasNewer: boolean
  toNewest: () => Promise<void>
}

/**
 * Begins at the newest message and follows it, until the reader scrolls up or jumps; writing brings them back. While there are newer messages
 * than those that are loaded, the end of the list is not the bottom.
 */
export function useBottom({ list, entries, hasNewer, toNewest }: Needs): Bottom {
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
      // The list goes on for some time to where it was told to scroll, whenever it measures a row. This tells it otherwise.
      list.current?.scrollTo(veryEndPx)
      stay()
    }
    // Without newer messages there may be a jump that is still being read: it is not to be shown any more.
    const returned = toNewest()
    if (hasNewer) returned.then(go, () => undefined)
    else {
      go()
      returned.catch(() => undefined)
    }
  }, [put, stay, list, hasNewer, toNewest])
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
