import { type FormEvent, useId, useState } from 'react'
import { navigate } from '../../use-route.ts'
import styles from './messages.module.css'

/** Goes to the place of a seq, also where no message is shown: a change or a deletion is near one. */
export function JumpForm({ conversationId, lastSeq }: { conversationId: string; lastSeq: number }) {
  const [typed, setTyped] = useState('')
  const id = useId()
  const seq = Number(typed)
  const fits = Number.isInteger(seq) && seq >= 1 && seq <= lastSeq
  const jump = (event: FormEvent) => {
    event.preventDefault()
    if (fits) navigate({ view: 'conversations', id: conversationId, at: { seq: typed } })
  }
  return (
    <form className={styles.jump} onSubmit={jump}>
      <label htmlFor={id}>Go to seq</label>
      <input
        id={id}
        className="field"
        type="number"
        min={1}
        max={lastSeq}
        value={typed}
        placeholder={lastSeq > 0 ? `1 to ${lastSeq}` : undefined}
        onChange={(event) => setTyped(event.target.value)}
      />
      <button type="submit" className="quiet-button" disabled={!fits}>
        Go
      </button>
    </form>
  )
}
