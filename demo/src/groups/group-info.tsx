import type { ConversationFieldsFragment } from '@parley/client'
import { leaveGroup, renameGroup, updateMembers } from '@parley/client/groups'
import { useChat } from '@parley/client/react'
import { type FormEvent, useId, useState } from 'react'
import { titleProblem } from '../../../src/protocol/text.ts'
import { chatTitle } from '../chats/chat-names.ts'
import { Avatar } from '../parts/avatar.tsx'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { LeaveIcon } from '../parts/icons.tsx'
import { Problem } from '../parts/problem.tsx'
import { useAction } from '../parts/use-action.ts'
import styles from './groups.module.css'
import { MemberRow } from './member-row.tsx'
import { PeoplePicker } from './people-picker.tsx'
import { byRole, governs, membershipOf } from './roles.ts'

type Props = { group: ConversationFieldsFragment; onLeft: () => void; onClose: () => void }

/** Shows the members of a group, and the changes that the viewer may make. */
export function GroupInfo({ group, onLeft, onClose }: Props) {
  const chat = useChat()
  const [leaving, setLeaving] = useState(false)
  const { busy, problem, run } = useAction()
  const role = membershipOf(group, chat.userId)?.role
  const title = chatTitle(group, chat.userId)
  function leave(): void {
    setLeaving(false)
    run(async () => {
      await leaveGroup(chat, group.id)
      onLeft()
    })
  }
  return (
    <Dialog title="Group info" onClose={onClose}>
      <p className={styles.title}>
        <Avatar id={group.id} name={title} size={46} group />
        {title}
      </p>
      <h3 className={styles.heading}>
        {group.memberships.length === 1 ? '1 member' : `${group.memberships.length} members`}
      </h3>
      <ul className={styles.members} aria-label="Members">
        {byRole(group.memberships).map((membership) => (
          <MemberRow
            key={membership.user.id}
            membership={membership}
            viewer={chat.userId}
            viewerRole={role}
            busy={busy}
            onChange={(changes) => run(() => updateMembers(chat, group.id, changes))}
          />
        ))}
      </ul>
      {governs(role) && (
        <>
          <AddPeople group={group} />
          <TitleForm group={group} />
        </>
      )}
      <Problem words={problem} />
      <div className={styles.answers}>
        <button
          type="button"
          className={`quiet-button ${styles.leave}`}
          disabled={busy}
          onClick={() => setLeaving(true)}
        >
          <LeaveIcon size={18} /> Leave group
        </button>
      </div>
      {leaving && (
        <ConfirmDialog title={`Leave “${title}”?`} act="Leave" onAct={leave} onClose={() => setLeaving(false)}>
          You will see nothing of it any more, unless somebody adds you again.
        </ConfirmDialog>
      )}
    </Dialog>
  )
}

function TitleForm({ group }: { group: ConversationFieldsFragment }) {
  const chat = useChat()
  const [typed, setTyped] = useState<string>()
  const { busy, problem, run } = useAction()
  const fieldId = useId()
  const title = (typed ?? group.title ?? '').trim()
  const fits = titleProblem(title) === undefined && title !== group.title
  function rename(event: FormEvent): void {
    event.preventDefault()
    if (fits && !busy) run(() => renameGroup(chat, group.id, title).then(() => setTyped(undefined)))
  }
  return (
    <form className={styles.form} onSubmit={rename}>
      <label htmlFor={fieldId}>Title</label>
      <div className={styles.row}>
        <input
          id={fieldId}
          className="field"
          value={typed ?? group.title ?? ''}
          maxLength={100}
          autoComplete="off"
          onChange={(event) => setTyped(event.target.value)}
        />
        <button type="submit" className={`quiet-button ${styles.add}`} disabled={!fits || busy}>
          Rename
        </button>
      </div>
      <Problem words={problem} />
    </form>
  )
}

function AddPeople({ group }: { group: ConversationFieldsFragment }) {
  const chat = useChat()
  const [people, setPeople] = useState<readonly string[]>([])
  const { busy, problem, run } = useAction()
  const add = () => run(() => updateMembers(chat, group.id, { add: [...people] }).then(() => setPeople([])))
  return (
    <section className={styles.form} aria-label="Add people">
      <PeoplePicker
        label="Add people"
        chosen={people}
        without={group.members.map(({ id }) => id)}
        onChange={setPeople}
      />
      <Problem words={problem} />
      {people.length > 0 && (
        <div className={styles.answers}>
          <button type="button" className="button" disabled={busy} onClick={add}>
            {people.length === 1 ? 'Add 1 person' : `Add ${people.length} people`}
          </button>
        </div>
      )}
    </section>
  )
}
