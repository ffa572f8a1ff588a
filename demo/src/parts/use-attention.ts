import { useSyncExternalStore } from 'react'

/** Whether somebody looks at this window: a message in a tab in the background is not read. */
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
