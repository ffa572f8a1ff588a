import type { KeyboardEvent } from 'react'

const steps: Record<string, (index: number, count: number) => number> = {
  ArrowDown: (index, count) => Math.min(index + 1, count - 1),
  ArrowUp: (index) => Math.max(index - 1, 0),
  Home: () => 0,
  End: (_index, count) => count - 1,
}

/** Moves the focus up and down through the links of a list. */
export function moveByArrows(event: KeyboardEvent, list: HTMLElement | null): void {
  const step = steps[event.key]
  if (!step || !list || event.altKey || event.ctrlKey || event.metaKey) return
  const links = [...list.querySelectorAll('a')]
  const from = links.findIndex((link) => link.matches(':focus'))
  const to = links[step(from, links.length)]
  if (!to) return
  event.preventDefault()
  to.focus()
}
