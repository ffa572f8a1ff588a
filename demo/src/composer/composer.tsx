import type { MessageFieldsFragment, Recipient, Sending } from '@parley/client'
import { useChat, useSend } from '@parley/client/react'
import {
  type ClipboardEvent,
  type FormEvent,
  type KeyboardEvent,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { bodyProblem } from '../../../src/protocol/text.ts'
import { lastOwn } from '../conversation/message/quotes.ts'
import type { ComposerTarget } from '../conversation/use-composer-target.ts'
import { AttachButton } from '../files/attach-button.tsx'
import { AttachingStrip } from '../files/attaching-strip.tsx'
import { type Attachings, filesIn } from '../files/use-attaching.ts'
import { CheckIcon, EmojiIcon, SendIcon } from '../parts/icons.tsx'
import { keyOf } from '../route.ts'
import styles from './composer.module.css'
import { Counter } from './counter.tsx'
import { useDraft } from './drafts.ts'
import { EmojiPicker } from './emoji-picker.tsx'
import { TargetBar } from './target-bar.tsx'

type Props = {
  to: Recipient
  viewer: string
  target: ComposerTarget | undefined
  attachings: Attachings
  onTarget: (target: ComposerTarget | undefined) => void
  onEdit: (message: MessageFieldsFragment, body: string) => void
}

export function Composer({ to, viewer, target, attachings, onTarget, onEdit }: Props) {
  const chat = useChat()
  const send = useSend(to)
  const [draft, setDraft] = useDraft(`${viewer}/${keyOf(to)}`)
  const [picking, setPicking] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  const editing = target?.type === 'edit' ? target : undefined
  const text = editing ? editing.text : draft
  const body = text.replace(/^\n+|\s+$/g, '')
  const withFiles = !editing && attachings.files.length > 0
  const canSend = withFiles
    ? attachings.ready && (body === '' || bodyProblem(body) === undefined)
    : bodyProblem(body) === undefined

  useEffect(() => {
    // On a touch screen the keyboard would cover the messages.
    if (!window.matchMedia('(pointer: coarse)').matches) field.current?.focus()
  }, [])
  const targetKey = target && `${target.type} ${target.message.seq}`
  useEffect(() => {
    const element = field.current
    if (!targetKey || !element) return
    element.focus()
    element.setSelectionRange(element.value.length, element.value.length)
  }, [targetKey])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the text.
  useLayoutEffect(() => {
    const element = field.current
    if (!element) return
    element.style.height = 'auto'
    element.style.height = `${element.scrollHeight}px`
  }, [text])

  function change(next: string): void {
    if (editing) {
      onTarget({ ...editing, text: next })
      return
    }
    setDraft(next)
    chat.setTyping(to, next.trim() !== '')
  }
  function submit(event: FormEvent): void {
    event.preventDefault()
    if (!canSend) return
    if (!editing) {
      submitMessage(target ? { replyToSeq: target.message.seq } : {})
    } else if (body !== editing.message.body) onEdit(editing.message, body)
    cancelTarget()
  }
  function submitMessage(reply: Sending): void {
    setDraft('')
    if (!withFiles) send(body, reply)
    else attachings.take().then((attachmentIds) => send(body, { ...reply, attachmentIds }), console.error)
  }
  function paste(event: ClipboardEvent): void {
    const files = filesIn(event.clipboardData)
    // If the clipboard has text too, the picture only shows the same text.
    if (files.length === 0 || editing || event.clipboardData.types.includes('text/plain')) return
    event.preventDefault()
    attachings.add(files)
  }
  function cancelTarget(): void {
    onTarget(undefined)
    field.current?.focus()
  }
  function onKeyDown(event: KeyboardEvent): void {
    // Enter also ends the composing of a word in Japanese, Chinese or Korean; 229 is how Safari says so.
    const composing = event.nativeEvent.isComposing || event.keyCode === 229
    if (event.key === 'Enter' && !event.shiftKey && !composing) submit(event)
    if (event.key === 'ArrowUp' && text === '' && !target) {
      const message = lastOwn(chat.messages(to).get().entries, viewer)
      if (!message) return
      event.preventDefault()
      onTarget({ type: 'edit', message, text: message.body })
    }
  }
  function cancelByEscape(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || event.defaultPrevented || event.nativeEvent.isComposing || !target) return
    event.preventDefault()
    cancelTarget()
  }
  function insert(emoji: string): void {
    const { selectionStart: start = text.length, selectionEnd: end = text.length } = field.current ?? {}
    change(text.slice(0, start) + emoji + text.slice(end))
    requestAnimationFrame(() => field.current?.setSelectionRange(start + emoji.length, start + emoji.length))
  }
  function closePicker(): void {
    setPicking(false)
    field.current?.focus()
  }
  return (
    <form className={styles.composer} onSubmit={submit} onKeyDown={cancelByEscape}>
      {picking && <EmojiPicker onPick={insert} onClose={closePicker} />}
      {!editing && <AttachingStrip attachings={attachings} />}
      {target && <TargetBar target={target} viewer={viewer} onCancel={cancelTarget} />}
      <div className={styles.box}>
        {!editing && <AttachButton onChoose={attachings.add} />}
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
          aria-label={editing ? 'Edit message' : 'Message'}
          placeholder="Message"
          dir="auto"
          enterKeyHint={editing ? 'done' : 'send'}
          onChange={(event) => change(event.target.value)}
          onKeyDown={onKeyDown}
          onPaste={paste}
        />
        <Counter text={body} />
      </div>
      <button type="submit" className={styles.send} aria-label={editing ? 'Save' : 'Send'} disabled={!canSend}>
        {editing ? <CheckIcon size={24} /> : <SendIcon />}
      </button>
    </form>
  )
}
