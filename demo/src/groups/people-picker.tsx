import { type KeyboardEvent, useId, useState } from 'react'
import { Avatar } from '../parts/avatar.tsx'
import { CloseIcon } from '../parts/icons.tsx'
import { nameOf, personMeant, samplePeople } from '../people.ts'
import styles from './groups.module.css'

type Props = {
  chosen: readonly string[]
  /** Users who are in the group already, and the viewer. */
  without: readonly string[]
  label: string
  onChange: (chosen: readonly string[]) => void
}

/** Picks sample people by a click, and other users by their id. */
export function PeoplePicker({ chosen, without, label, onChange }: Props) {
  const [typed, setTyped] = useState('')
  const fieldId = useId()
  const meant = personMeant(typed)
  const fits = meant !== undefined && !chosen.includes(meant) && !without.includes(meant)
  const samples = samplePeople.filter(({ id }) => !chosen.includes(id) && !without.includes(id))
  function add(userId: string): void {
    onChange([...chosen, userId])
    setTyped('')
  }
  function addByEnter(event: KeyboardEvent): void {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing || typed.trim() === '') return
    // The form around it has its own submit.
    event.preventDefault()
    if (fits) add(meant)
  }
  return (
    <div className={styles.picker}>
      <label htmlFor={fieldId}>{label}</label>
      {chosen.length > 0 && (
        <ul className={styles.chips} aria-label="Chosen people">
          {chosen.map((id) => (
            <li key={id}>
              <button
                type="button"
                className={styles.chip}
                onClick={() => onChange(chosen.filter((each) => each !== id))}
              >
                <Avatar id={id} name={nameOf({ id })} size={24} />
                <span className="visually-hidden">Without </span>
                <span>{nameOf({ id })}</span>
                <CloseIcon size={16} />
              </button>
            </li>
          ))}
        </ul>
      )}
      <div className={styles.row}>
        <input
          id={fieldId}
          className="field"
          value={typed}
          maxLength={128}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          placeholder="grace-hopper"
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={addByEnter}
        />
        <button
          type="button"
          className={`quiet-button ${styles.add}`}
          disabled={!fits}
          onClick={() => fits && add(meant)}
        >
          Add
        </button>
      </div>
      {samples.length > 0 && (
        <ul className={styles.chips} aria-label="Sample people">
          {samples.map(({ id, name }) => (
            <li key={id}>
              <button type="button" className={styles.sample} onClick={() => add(id)}>
                <Avatar id={id} name={name} size={24} />
                <span>{name}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
