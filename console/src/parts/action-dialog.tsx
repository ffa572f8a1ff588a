import { type FormEvent, type ReactNode, useId } from 'react'
import answers from '../../../demo/src/parts/confirm-dialog.module.css'
import { Dialog } from '../../../demo/src/parts/dialog.tsx'
import { Problem } from '../../../demo/src/parts/problem.tsx'
import { useAction } from '../../../demo/src/parts/use-action.ts'
import styles from './action-dialog.module.css'

type Props = {
  title: string
  /** The words of the button that does it. */
  act: string
  /** The action cannot be undone, or hurts somebody. */
  danger?: boolean
  /** Whether enough was filled in. */
  ready?: boolean
  onAct: () => Promise<unknown>
  /** The dialog stays after the action, because something is shown in its place then. */
  staysOpen?: boolean
  onClose: () => void
  children: ReactNode
}

/** Asks for what an action needs, and does it. Stays open, with all that was filled in, if the server refuses it. */
export function ActionDialog({ title, act, danger, ready = true, onAct, staysOpen, onClose, children }: Props) {
  const { busy, problem, run } = useAction()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (ready && !busy) run(() => onAct().then(staysOpen ? undefined : onClose))
  }
  return (
    // The dialog stays while the action is under way, because the answer may be something to show.
    <Dialog title={title} onClose={onClose} asks stays={busy}>
      <form className={styles.form} onSubmit={submit}>
        {children}
        <Problem words={problem} />
        <div className={answers.answers}>
          <button type="button" className="quiet-button" disabled={busy} onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className={`button ${danger ? answers.act : ''}`} disabled={!ready || busy}>
            {busy ? 'One moment…' : act}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

type FieldProps = {
  label: string
  hint?: ReactNode
  value: string
  onChange: (value: string) => void
  type?: 'text' | 'datetime-local' | 'number' | 'url'
  placeholder?: string
  /** The text may have more than one line. */
  long?: boolean
}

export function Field({ label, hint, value, onChange, type = 'text', placeholder, long }: FieldProps) {
  const id = useId()
  const shared = {
    id,
    className: 'field',
    value,
    placeholder,
    autoComplete: 'off',
    'aria-describedby': hint ? `${id}-hint` : undefined,
  }
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      {long ? (
        <textarea {...shared} rows={4} onChange={(event) => onChange(event.target.value)} />
      ) : (
        <input
          {...shared}
          type={type}
          min={type === 'number' ? 1 : undefined}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
      {hint && (
        <p id={`${id}-hint`} className={styles.hint}>
          {hint}
        </p>
      )}
    </div>
  )
}

type ChoiceProps<Value extends string> = {
  label: string
  options: Readonly<Record<Value, string>>
  value: Value
  onChange: (value: Value) => void
}

export function Choice<Value extends string>({ label, options, value, onChange }: ChoiceProps<Value>) {
  const name = useId()
  return (
    <fieldset className={styles.choice}>
      <legend>{label}</legend>
      {Object.entries<string>(options).map(([each, words]) => (
        <label key={each}>
          <input type="radio" name={name} checked={each === value} onChange={() => onChange(each as Value)} /> {words}
        </label>
      ))}
    </fieldset>
  )
}
