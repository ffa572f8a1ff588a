import { useMemo } from 'react'
import { splitLinks } from './links.ts'

export function MessageText({ text }: { text: string }) {
  const parts = useMemo(() => splitLinks(text), [text])
  let at = 0
  return parts.map((part) => {
    const key = at
    at += part.text.length
    if (!part.href) return part.text
    return (
      <a key={key} href={part.href} target="_blank" rel="noopener noreferrer">
        {part.text}
      </a>
    )
  })
}
