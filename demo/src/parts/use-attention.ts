import { useSyncExternalStore } from 'react'

/** Says whether the window is visible and focused. A message in a background tab does not count as read. */
export const useAttention = (): boolean => useSyncExternalStore(subscribe, isLookedAt)

const isLookedAt = (): boolean => document.visibilityState === 'visible' && document.hasFocus()

function subscribe(listener: () => void): () => void {
  window.addEventListener('focus', listener)
  window.addEventListener('blur', listener)
  document.addEventListener('visibilitychange', listener)
  return () => {
    window.removeEventListener('focus', listener)
    window.removeEventListener('blur', listener)
    document.removeEventListener('visibilitychange', listener)
  }
}
