import { type RefObject, useEffect, useState } from 'react'

/** Says whether the element is on screen. */
export function useSeen(element: RefObject<HTMLElement | null>): boolean {
  const [seen, setSeen] = useState(false)
  useEffect(() => {
    const target = element.current
    if (!target) return
    const observer = new IntersectionObserver(([entry]) => setSeen(entry?.isIntersecting === true))
    observer.observe(target)
    return () => observer.disconnect()
  }, [element])
  return seen
}
