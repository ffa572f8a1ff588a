import { createGroup } from '@parley/client/groups'
import { useChat } from '@parley/client/react'
import { type FormEvent, useId, useState } from 'react'
import { titleProblem } from '../../../src/protocol/text.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Problem } from '../parts/problem.tsx'
import { useAction } from '../parts/use-action.ts'
import { navigate } from '../parts/use-route.ts'
import { routeTo, type SignedIn } from '../route.ts'
import styles from './groups.module.css'
import { PeoplePicker } from './people-picker.tsx'

type Props = { route: SignedIn; onClose: () => void }

export function NewGroup({ route, onClose }: Props) {
  const chat = useChat()
  const [title, setTitle] = useState('')
  const [people, setPeople] = useState<readonly string[]>([])
  const { busy, problem, run } = useAction()
  const titleId = useId()
  const fits = titleProblem(title.trim()) === undefined && people.length > 0
  function create(event: FormEvent): void {
    event.preventDefault()
    if (!fits || busy) return
    run(async () => {
      const { id } = await createGroup(chat, title.trim(), people)
      navigate(routeTo(route, { chat: id }))
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
        <PeoplePicker label="People" chosen={people} without={[route.as]} onChange={setPeople} />
        <Problem words={problem} />
        <div className={styles.answers}>
          <button type="submit" className="button" disabled={!fits || busy}>
            {busy ? 'Creating…' : 'Create group'}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
