import { type FormEvent, useId, useState } from 'react'
import { navigate } from '../parts/use-route.ts'
import { samplePeople, userIdFor } from '../people.ts'
import styles from './welcome.module.css'

export function OwnName() {
  const [name, setName] = useState('')
  const fieldId = useId()
  const userId = userIdFor(name)
  const enter = (event: FormEvent) => {
    event.preventDefault()
    if (!userId) return
    const isSample = samplePeople.some(({ id }) => id === userId)
    navigate({ as: userId, ...(!isSample && { name: name.trim() }) })
  }
  return (
    <form onSubmit={enter}>
      <label className={styles.label} htmlFor={fieldId}>
        A name of your own
      </label>
      <div className={styles.ownName}>
        <input
          id={fieldId}
          className="field"
          value={name}
          maxLength={60}
          autoComplete="off"
          placeholder="Grace Hopper"
          aria-describedby={`${fieldId}-hint`}
          onChange={(event) => setName(event.target.value)}
        />
        <button type="submit" className="button" disabled={!userId}>
          Enter
        </button>
      </div>
      <p id={`${fieldId}-hint`} className={styles.hint}>
        {userId ? (
          <>
            Others reach you as <code>{userId}</code>
          </>
        ) : (
          'Others reach you by an id made of it.'
        )}
      </p>
    </form>
  )
}
