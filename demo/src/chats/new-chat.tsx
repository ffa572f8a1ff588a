import { type FormEvent, useId, useState } from 'react'
import { Avatar } from '../parts/avatar.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { PlaceLink } from '../parts/place-link.tsx'
import { navigate } from '../parts/use-place.ts'
import { personMeant, samplePeople } from '../people.ts'
import { elsewhere, type SignedIn } from '../place.ts'
import { personTitle } from './chat-names.ts'
import styles from './new-chat.module.css'

type Props = { place: SignedIn; onClose: () => void }

export function NewChat({ place, onClose }: Props) {
  const [typed, setTyped] = useState('')
  const fieldId = useId()
  const meant = personMeant(typed)
  const others = samplePeople.filter(({ id }) => id !== place.as)
  const open = (event: FormEvent) => {
    event.preventDefault()
    if (!meant) return
    navigate(elsewhere(place, { with: meant }))
    onClose()
  }
  return (
    <Dialog title="New chat" onClose={onClose}>
      <form className={styles.form} onSubmit={open}>
        <label htmlFor={fieldId}>User id</label>
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
          />
          <button type="submit" className="button" disabled={!meant}>
            Open
          </button>
        </div>
      </form>
      <ul className={styles.people} aria-label="People">
        {[...others, { id: place.as, name: '', line: 'A chat with nobody but you' }].map(({ id, line }) => (
          <li key={id}>
            <PlaceLink className={styles.person} place={elsewhere(place, { with: id })} onClick={onClose}>
              <Avatar id={id} name={personTitle({ id }, place.as)} size={42} />
              <span>
                <b>{personTitle({ id }, place.as)}</b> <span>{line}</span>
              </span>
            </PlaceLink>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
