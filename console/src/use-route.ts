import { useMemo, useSyncExternalStore } from 'react'
import { hrefOf, type Route, readRoute } from './route.ts'

function subscribe(listener: () => void): () => void {
  window.addEventListener('hashchange', listener)
  return () => window.removeEventListener('hashchange', listener)
}

export function useRoute(): Route {
  const hash = useSyncExternalStore(subscribe, () => window.location.hash)
  return useMemo(() => readRoute(hash), [hash])
}

export function navigate(route: Route): void {
  window.location.hash = hrefOf(route)
}
