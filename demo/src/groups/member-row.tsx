import type { MemberChanges, Role } from '../../../src/client/groups.ts'
import { Avatar } from '../parts/avatar.tsx'
import { nameOf } from '../people.ts'
import styles from './groups.module.css'
import { canGiveRoles, canRemove, type Membership, roleWords } from './roles.ts'

type Props = {
  membership: Membership
  viewer: string
  viewerRole: Role | undefined
  busy: boolean
  onChange: (changes: MemberChanges) => void
}

export function MemberRow({ membership: { user, role }, viewer, viewerRole, busy, onChange }: Props) {
  const name = nameOf(user)
  const isViewer = user.id === viewer
  const nextRole: Role = role === 'MEMBER' ? 'ADMIN' : 'MEMBER'
  return (
    <li className={styles.member}>
      <Avatar id={user.id} name={name} size={38} />
      <span className={styles.who}>
        <b>{isViewer ? 'You' : name}</b>
        <span>{roleWords[role] || `@${user.id}`}</span>
      </span>
      {!isViewer && (
        <span className={styles.deeds}>
          {canGiveRoles(viewerRole) && (
            <button
              type="button"
              className="quiet-button"
              disabled={busy}
              onClick={() => onChange({ roles: [{ userId: user.id, role: nextRole }] })}
            >
              {role === 'MEMBER' ? 'Make admin' : 'Make member'}
              <span className="visually-hidden">: {name}</span>
            </button>
          )}
          {canRemove(viewerRole, role) && (
            <button
              type="button"
              className={`quiet-button ${styles.leave}`}
              disabled={busy}
              onClick={() => onChange({ remove: [user.id] })}
            >
              Remove<span className="visually-hidden"> {name}</span>
            </button>
          )}
        </span>
      )}
    </li>
  )
}
