import { type FormEvent, useId, useState } from 'react'
import { Avatar } from '../parts/avatar.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { RouteLink } from '../parts/route-link.tsx'
import { navigate } from '../parts/use-route.ts'
import { personMeant, samplePeople } from '../people.ts'
import { routeTo, type SignedIn } from '../route.ts'
import { personTitle } from './chat-names.ts'
import styles from './new-chat.module.css'

type Props = { route: SignedIn; onClose: () => void }

export function NewChat({ route, onClose }: Props) {
  const [typed, setTyped] = useState('')
  const fieldId = useId()
  const meant = personMeant(typed)
  const others = samplePeople.filter(({ id }) => id !== route.as)
  const open = (event: FormEvent) => {
    event.preventDefault()
    if (!meant) return
    navigate(routeTo(route, { with: meant }))
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
        {[...others, { id: route.as, name: '', line: 'A chat with nobody but you' }].map(({ id, line }) => (
          <li key={id}>
            <RouteLink className={styles.person} route={routeTo(route, { with: id })} onClick={onClose}>
              <Avatar id={id} name={personTitle({ id }, route.as)} size={42} />
              <span>
                <b>{personTitle({ id }, route.as)}</b> <span>{line}</span>
              </span>
            </RouteLink>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
