import type { MemberChanges, Role } from '@parley/client/groups'
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
  const promotion = role === 'MEMBER' ? 'Make admin' : 'Make member'
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
              aria-label={`${promotion}: ${name}`}
              disabled={busy}
              onClick={() => onChange({ roles: [{ userId: user.id, role: nextRole }] })}
            >
              {promotion}
            </button>
          )}
          {canRemove(viewerRole, role) && (
            <button
              type="button"
              className={`quiet-button ${styles.leave}`}
              aria-label={`Remove ${name}`}
              disabled={busy}
              onClick={() => onChange({ remove: [user.id] })}
            >
              Remove
            </button>
          )}
        </span>
      )}
    </li>
  )
}
