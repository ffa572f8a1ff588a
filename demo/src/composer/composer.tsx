import { type FormEvent, type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { Recipient } from '../../../src/client/index.ts'
import { useSend } from '../../../src/client/react/hooks.tsx'
import { bodyProblem } from '../../../src/protocol/text.ts'
import { EmojiIcon, SendIcon } from '../parts/icons.tsx'
import { keyOf } from '../place.ts'
import styles from './composer.module.css'
import { Counter } from './counter.tsx'
import { useDraft } from './drafts.ts'
import { EmojiPicker } from './emoji-picker.tsx'

type Props = { to: Recipient; viewer: string }

export function Composer({ to, viewer }: Props) {
  const send = useSend(to)
  const [text, setText] = useDraft(`${viewer}/${keyOf(to)}`)
  const [picking, setPicking] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  const body = text.replace(/^\n+|\s+$/g, '')
  const canSend = bodyProblem(body) === undefined

  useEffect(() => {
    // On a touch screen the keyboard would cover what one came to read.
    if (!window.matchMedia('(pointer: coarse)').matches) field.current?.focus()
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: as high as the text is.
  useLayoutEffect(() => {
    const element = field.current
    if (!element) return
    element.style.height = 'auto'
    element.style.height = `${element.scrollHeight}px`
  }, [text])

  function submit(event: FormEvent): void {
    event.preventDefault()
    if (!canSend) return
    send(body)
    setText('')
    field.current?.focus()
  }
  function onKeyDown(event: KeyboardEvent): void {
    // Enter also ends the composing of a word in Japanese, Chinese or Korean; 229 is how Safari says so.
    const composing = event.nativeEvent.isComposing || event.keyCode === 229
    if (event.key === 'Enter' && !event.shiftKey && !composing) submit(event)
  }
  function insert(emoji: string): void {
    const { selectionStart: start = text.length, selectionEnd: end = text.length } = field.current ?? {}
    setText(text.slice(0, start) + emoji + text.slice(end))
    requestAnimationFrame(() => field.current?.setSelectionRange(start + emoji.length, start + emoji.length))
  }
  function closePicker(): void {
    setPicking(false)
    field.current?.focus()
  }
  return (
    <form className={styles.composer} onSubmit={submit}>
      {picking && <EmojiPicker onPick={insert} onClose={closePicker} />}
      <div className={styles.box}>
        <button
          type="button"
          className="round-button"
          aria-label="Emoji"
          aria-expanded={picking}
          onClick={() => setPicking(!picking)}
        >
          <EmojiIcon />
        </button>
        <textarea
          ref={field}
          rows={1}
          value={text}
          aria-label="Message"
          placeholder="Message"
          dir="auto"
          enterKeyHint="send"
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
        />
        <Counter text={body} />
      </div>
      <button type="submit" className={styles.send} aria-label="Send" disabled={!canSend}>
        <SendIcon />
      </button>
    </form>
  )
}
