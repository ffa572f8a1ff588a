import { type RefObject, useEffect, useRef, useState } from 'react'
import type { VirtualizerHandle } from 'virtua'
import { optionsIn } from '../../options/options-button.tsx'
import type { Bottom } from './use-bottom.ts'

const shownMs = 1600

/** Scrolls from a quote to the quoted message, and highlights it for a moment. */
export function useHighlight(list: RefObject<VirtualizerHandle | null>, { scroller, leave, onScroll }: Bottom) {
  const [found, setFound] = useState<string>()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])

  function find(index: number, key: string, byKeyboard: boolean): void {
    leave()
    list.current?.scrollToIndex(index, { align: 'center' })
    setFound(key)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setFound(undefined), shownMs)
    // The list must draw and measure the row first.
    setTimeout(() => {
      onScroll(scroller.current?.scrollTop ?? 0)
      if (!byKeyboard) return
      const row = scroller.current?.querySelector(`[data-row="${CSS.escape(key)}"]`)
      optionsIn(row)[0]?.focus({ preventScroll: true })
    }, 100)
  }
  return { found, find }
}
