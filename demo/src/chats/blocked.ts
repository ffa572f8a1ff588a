import { useSyncExternalStore } from 'react'

// The users that the viewer has blocked. The server does not list them, so this device remembers what was done on it.
//
//   parley:blocked:<viewer>  a JSON list of user ids, in localStorage

const changes = new EventTarget()
const nameOf = (viewer: string): string => `parley:blocked:${viewer}`

function read(viewer: string): string[] {
  const kept: unknown = JSON.parse(localStorage.getItem(nameOf(viewer)) ?? '[]')
  return Array.isArray(kept) ? kept.filter((each) => typeof each === 'string') : []
}

export function rememberBlocked(viewer: string, userId: string, blocked: boolean): void {
  const others = read(viewer).filter((each) => each !== userId)
  localStorage.setItem(nameOf(viewer), JSON.stringify(blocked ? [...others, userId] : others))
  changes.dispatchEvent(new Event('changed'))
}

export const useBlocked = (viewer: string, userId: string | undefined): boolean =>
  useSyncExternalStore(subscribe, () => userId !== undefined && read(viewer).includes(userId))

function subscribe(listener: () => void): () => void {
  changes.addEventListener('changed', listener)
  window.addEventListener('storage', listener)
  return () => {
    changes.removeEventListener('changed', listener)
    window.removeEventListener('storage', listener)
  }
}
