/** What the machine knows of its network. */
export type Network = {
  online(): boolean
  /** Called when it changes, or when there is another reason to look again, such as a page that is shown again. */
  subscribe(listener: () => void): () => void
}

/** The browser's word for it; elsewhere the network is taken to be there, and attempts tell. */
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
