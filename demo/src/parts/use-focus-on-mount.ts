import { type RefObject, useEffect, useRef } from 'react'

/** Whoever came by keyboard goes on at the beginning of the new page, not in the old one that is gone. */
export function useArrival(wanted = true): RefObject<HTMLElement | null> {
  const main = useRef<HTMLElement>(null)
  const initially = useRef(wanted)
  useEffect(() => {
    if (initially.current) main.current?.focus({ preventScroll: true })
  }, [])
  return main
}
