import { type FormEvent, useId, useState } from 'react'
import { createGroup } from '../../../src/client/groups.ts'
import { useChat } from '../../../src/client/react/hooks.tsx'
import { titleProblem } from '../../../src/protocol/text.ts'
import { Dialog } from '../parts/dialog.tsx'
import { navigate } from '../parts/use-place.ts'
import { elsewhere, type SignedIn } from '../place.ts'
import styles from './groups.module.css'
import { PeoplePicker } from './people-picker.tsx'
import { useDeed } from './use-deed.ts'

type Props = { place: SignedIn; onClose: () => void }

export function NewGroup({ place, onClose }: Props) {
  const chat = useChat()
  const [title, setTitle] = useState('')
  const [people, setPeople] = useState<readonly string[]>([])
  const { busy, problem, run } = useDeed()
  const titleId = useId()
  const fits = titleProblem(title.trim()) === undefined && people.length > 0
  function create(event: FormEvent): void {
    event.preventDefault()
    if (!fits || busy) return
    run(async () => {
      const { id } = await createGroup(chat, title.trim(), people)
      navigate(elsewhere(place, { chat: id }))
      onClose()
    })
  }
  return (
    <Dialog title="New group" onClose={onClose}>
      <form className={styles.form} onSubmit={create}>
        <label htmlFor={titleId}>Title</label>
        <input
          id={titleId}
          className="field"
          value={title}
          maxLength={100}
          autoComplete="off"
          placeholder="Tea at four"
          onChange={(event) => setTitle(event.target.value)}
        />
        <PeoplePicker label="People" chosen={people} without={[place.as]} onChange={setPeople} />
        {problem && (
          <p role="alert" className={styles.problem}>
            {problem}
          </p>
        )}
        <div className={styles.answers}>
          <button type="submit" className="button" disabled={!fits || busy}>
            {busy ? 'Creating…' : 'Create group'}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
