import { type RefObject, useLayoutEffect, useRef } from 'react'
import type { Place } from './place.ts'

/** Begins a page where somebody reads on: at the message that was looked for, or at the end that borders on the page before. */
export function useScrollTo(list: RefObject<HTMLElement | null>, place: Place): void {
  const initially = useRef(place)
  useLayoutEffect(() => {
    const element = list.current
    if (!element) return
    const target = element.querySelector('[aria-current]')
    if (target) target.scrollIntoView({ block: 'center' })
    else if (initially.current === 'end' || !('before' in initially.current)) element.scrollTop = element.scrollHeight
  }, [list])
}
