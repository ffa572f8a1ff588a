import { type RefObject, useEffect, useRef } from 'react'

/** Focuses a new page, so that keyboard users go on at its beginning. */
export function useFocusOnMount(wanted = true): RefObject<HTMLElement | null> {
  const main = useRef<HTMLElement>(null)
  const initially = useRef(wanted)
  useEffect(() => {
    if (initially.current) main.current?.focus({ preventScroll: true })
  }, [])
  return main
}
