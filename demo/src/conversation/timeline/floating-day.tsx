import { useCallback, useEffect, useRef, useState } from 'react'
import { dayName } from '../../parts/times.ts'
import styles from './timeline.module.css'

const staysMs = 1200

/** Keeps the day of the topmost message while the user scrolls. */
export function useFloatingDay(): { atMs: number | undefined; passing(atMs: number): void } {
  const [atMs, setAtMs] = useState<number>()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const passing = useCallback((ms: number) => {
    setAtMs(new Date(ms).setHours(12, 0, 0, 0))
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setAtMs(undefined), staysMs)
  }, [])
  useEffect(() => () => clearTimeout(timer.current), [])
  return { atMs, passing }
}

/** Is hidden from screen readers, which have the days as headings. */
export function FloatingDay({ atMs, today }: { atMs: number | undefined; today: number }) {
  if (atMs === undefined) return null
  return (
    <p className={styles.floatingDay} aria-hidden="true">
      {dayName(atMs, today)}
    </p>
  )
}
