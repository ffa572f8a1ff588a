import { useEffect, useRef } from 'react'

/** Asks again from time to time, while it is wanted and somebody may look. */
export function usePolling(ask: () => void, everyMs: number, wanted: boolean): void {
  const latest = useRef(ask)
  useEffect(() => {
    latest.current = ask
  })
  useEffect(() => {
    if (!wanted) return
    const timer = setInterval(() => document.visibilityState === 'visible' && latest.current(), everyMs)
    return () => clearInterval(timer)
  }, [everyMs, wanted])
}
