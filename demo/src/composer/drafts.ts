import { useState } from 'react'

const nameOf = (key: string): string => `parley:draft:${key}`

/** Keeps the draft of a chat for as long as the window is open. */
export function useDraft(key: string): [string, (text: string) => void] {
  const [text, setText] = useState(() => sessionStorage.getItem(nameOf(key)) ?? '')
  function keep(next: string): void {
    setText(next)
    if (next) sessionStorage.setItem(nameOf(key), next)
    else sessionStorage.removeItem(nameOf(key))
  }
  return [text, keep]
}
