import { useMemo, useSyncExternalStore } from 'react'
import { hrefOf, type Route, readRoute } from '../route.ts'

const moved = new EventTarget()

function subscribe(listener: () => void): () => void {
  window.addEventListener('popstate', listener)
  moved.addEventListener('moved', listener)
  return () => {
    window.removeEventListener('popstate', listener)
    moved.removeEventListener('moved', listener)
  }
}

export function useRoute(): Route {
  const search = useSyncExternalStore(subscribe, () => window.location.search)
  return useMemo(() => readRoute(search), [search])
}

export function navigate(route: Route): void {
  const href = hrefOf(route)
  // A second entry for the same route would make the back button do nothing.
  if (href === window.location.pathname + window.location.search) return
  window.history.pushState(null, '', href)
  moved.dispatchEvent(new Event('moved'))
}
