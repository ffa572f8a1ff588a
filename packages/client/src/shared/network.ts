/** What the device knows about its network. */
export type Network = {
  online(): boolean
  /** Calls the listener when the network changes, or when there is another reason to try again, such as a page that becomes visible. */
  subscribe(listener: () => void): () => void
}

/** Asks the browser. Elsewhere the network counts as available, and failed attempts show that it is not. */
export function systemNetwork(): Network {
  if (typeof window === 'undefined' || !window.addEventListener) {
    return { online: () => true, subscribe: () => () => undefined }
  }
  return {
    online: () => navigator.onLine,
    subscribe(listener) {
      const shown = () => {
        if (document.visibilityState === 'visible') listener()
      }
      window.addEventListener('online', listener)
      window.addEventListener('offline', listener)
      document.addEventListener('visibilitychange', shown)
      return () => {
        window.removeEventListener('online', listener)
        window.removeEventListener('offline', listener)
        document.removeEventListener('visibilitychange', shown)
      }
    },
  }
}
