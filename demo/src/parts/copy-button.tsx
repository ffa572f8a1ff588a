import { useState } from 'react'
import { CopyIcon } from './icons.tsx'

type Props = { text: string; label?: string }

export function CopyButton({ text, label = 'Copy' }: Props) {
  const [copied, setCopied] = useState<string>()
  // Pages without TLS have none.
  if (!('clipboard' in navigator)) return null
  const copy = () => {
    navigator.clipboard.writeText(text).then(() => setCopied(text), console.error)
  }
  return (
    <button type="button" className="quiet-button" onClick={copy}>
      <CopyIcon size={18} /> {copied === text ? 'Copied' : label}
    </button>
  )
}
