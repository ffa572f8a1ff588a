import { refreshAttachments } from '@parley/client/media'
import { useChat } from '@parley/client/react'
import { useState } from 'react'
import styles from './attachments.module.css'
import type { Shown } from './attachments.tsx'

type Props = { file: Shown; messageId: string | undefined; tabbable: boolean; onOpen: (file: Shown) => void }

/** The frame has its size before the picture loads, so that nothing moves. */
export function Picture({ file, messageId, tabbable, onOpen }: Props) {
  const chat = useChat()
  const [fresh, setFresh] = useState<string>()
  const [state, setState] = useState<'first' | 'second' | 'gone'>('first')
  const url = fresh ?? file.url
  const name = file.name ?? 'Picture'
  /** Requests a new URL, once, because the old one may have expired. */
  async function again(): Promise<void> {
    const [address] = messageId && state === 'first' ? await newAddresses(messageId) : []
    setState(address ? 'second' : 'gone')
    setFresh(address)
  }
  const newAddresses = async (id: string) =>
    (await refreshAttachments(chat, id).catch(() => [])).filter((each) => each.id === file.id).map((each) => each.url)
  if (state === 'gone') {
    return (
      <p className={styles.gone}>
        {name} cannot be shown.{' '}
        <button type="button" onClick={() => setState('first')} tabIndex={tabbable ? 0 : -1}>
          Try again
        </button>
      </p>
    )
  }
  return (
    <button
      type="button"
      className={styles.picture}
      aria-label={`Open ${name}`}
      tabIndex={tabbable ? 0 : -1}
      onClick={() => onOpen({ ...file, ...(url && { url }) })}
    >
      {/* The key reloads the picture for each attempt: a good URL may only have been out of reach. */}
      <img key={state} src={url} alt={name} decoding="async" onError={() => void again()} />
    </button>
  )
}
