import { useSyncExternalStore } from 'react'

const minuteMs = 60_000

const subscribe = (listener: () => void): (() => void) => {
  const timer = setInterval(listener, 5000)
  return () => clearInterval(timer)
}

/** Returns the current time to the minute, so that a mute ends in an open window too. */
export const useMinute = (): number =>
  useSyncExternalStore(subscribe, () => Math.floor(Date.now() / minuteMs) * minuteMs)
