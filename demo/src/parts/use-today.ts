import { useSyncExternalStore } from 'react'

const subscribe = (listener: () => void): (() => void) => {
  const timer = setInterval(listener, 30_000)
  return () => clearInterval(timer)
}

/** Returns noon of today. It changes at midnight, so that "Today" becomes "Yesterday" in an open window too. */
export const useToday = (): number => useSyncExternalStore(subscribe, () => new Date().setHours(12, 0, 0, 0))
