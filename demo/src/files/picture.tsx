import { useState } from 'react'
import { refreshAttachments } from '../../../src/client/media.ts'
import { useChat } from '../../../src/client/react/hooks.tsx'
import styles from './attachments.module.css'
import type { Shown } from './attachments.tsx'

type Props = { file: Shown; messageId: string | undefined; tabbable: boolean; onOpen: (file: Shown) => void }

/** Its place has its size before it comes, whatever it will be: nothing moves. */
export function Picture({ file, messageId, tabbable, onOpen }: Props) {
  const chat = useChat()
  const [fresh, setFresh] = useState<string>()
  const [state, setState] = useState<'first' | 'second' | 'gone'>('first')
  const url = fresh ?? file.url
  const name = file.name ?? 'Picture'
  /** Its address may be over: another one is asked for, once. */
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
      {/* Anew for each attempt: an address that is still good may only have been out of reach. */}
      <img key={state} src={url} alt={name} decoding="async" onError={() => void again()} />
    </button>
  )
}
