import { type FormEvent, useId, useState } from 'react'
import { hrefOf, type View } from '../route.ts'
import { type ListName, listed } from '../session/tab-storage.ts'
import { navigate } from '../use-route.ts'
import { Id } from './facts.tsx'
import styles from './lookup.module.css'

type Props = { view: View & ListName; label: string; hint: string; placeholder: string; recent: string }

/** Opens something by its id. What was opened in this tab is a click away. */
export function Lookup({ view, label, hint, placeholder, recent }: Props) {
  const [typed, setTyped] = useState('')
  const fieldId = useId()
  const id = typed.trim()
  const before = listed(view)
  const open = (event: FormEvent) => {
    event.preventDefault()
    if (id) navigate({ view, id })
  }
  return (
    <>
      <form className={styles.form} onSubmit={open}>
        <label htmlFor={fieldId}>{label}</label>
        <div className={styles.row}>
          <input
            id={fieldId}
            className="field"
            value={typed}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            placeholder={placeholder}
            aria-describedby={`${fieldId}-hint`}
            onChange={(event) => setTyped(event.target.value)}
          />
          <button type="submit" className="button" disabled={!id}>
            Open
          </button>
        </div>
        <p id={`${fieldId}-hint`} className={styles.hint}>
          {hint}
        </p>
      </form>
      {before.length > 0 && (
        <section className={styles.recent}>
          <h2>{recent}</h2>
          <ul>
            {before.map(({ id: each, about }) => (
              <li key={each}>
                <a href={hrefOf({ view, id: each })}>
                  <Id>{each}</Id>
                </a>
                {about && <span> {about}</span>}
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}
