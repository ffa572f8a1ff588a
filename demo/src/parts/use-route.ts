import { useMemo, useSyncExternalStore } from 'react'
import { hrefOf, type Place, readPlace } from '../place.ts'

const moved = new EventTarget()

function subscribe(listener: () => void): () => void {
  window.addEventListener('popstate', listener)
  moved.addEventListener('moved', listener)
  return () => {
    window.removeEventListener('popstate', listener)
    moved.removeEventListener('moved', listener)
  }
}

export function usePlace(): Place {
  const search = useSyncExternalStore(subscribe, () => window.location.search)
  return useMemo(() => readPlace(search), [search])
}

export function navigate(place: Place): void {
  const href = hrefOf(place)
  // Going where one is already would leave a step back that leads nowhere.
  if (href === window.location.pathname + window.location.search) return
  window.history.pushState(null, '', href)
  moved.dispatchEvent(new Event('moved'))
}
