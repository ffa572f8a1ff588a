import { useState } from 'react'
import type { ConversationFieldsFragment } from '../../generated/urql.ts'
import { Badge, Id } from '../../parts/facts.tsx'
import { Section } from '../../parts/page.tsx'
import { hrefOf } from '../../route.ts'
import { AddMembersDialog, RemoveMemberDialog } from './member-dialogs.tsx'
import styles from './members.module.css'

/** A group may have a thousand members, so a part of them is shown first. */
const shownAtFirst = 20

export function Members({ conversation: { id, kind, members } }: { conversation: ConversationFieldsFragment }) {
  const [all, setAll] = useState(false)
  const [adding, setAdding] = useState(false)
  const [removed, setRemoved] = useState<string>()
  const shown = all ? members : members.slice(0, shownAtFirst)
  return (
    <Section title={members.length === 1 ? '1 member' : `${members.length} members`}>
      <ul className={styles.members}>
        {shown.map((member) => (
          <li key={member.userId}>
            <div className={styles.who}>
              <a href={hrefOf({ view: 'users', id: member.userId })}>
                <Id>{member.userId}</Id>
              </a>
              {member.role !== 'MEMBER' && <Badge>{roleWords[member.role] ?? member.role}</Badge>}
              {kind === 'GROUP' && (
                <button
                  type="button"
                  className="quiet-button"
                  aria-label={`Remove ${member.userId}`}
                  onClick={() => setRemoved(member.userId)}
                >
                  Remove
                </button>
              )}
            </div>
            <p className={styles.boundaries}>
              Delivered {member.lastDeliveredSeq}, read {member.lastReadSeq}
              {member.joinedSeq > 0 && `, sees from ${member.joinedSeq + 1} on`}
            </p>
          </li>
        ))}
      </ul>
      {shown.length < members.length && (
        <button type="button" className="quiet-button" onClick={() => setAll(true)}>
          Show all
        </button>
      )}
      {kind === 'GROUP' && (
        <button type="button" className="quiet-button" onClick={() => setAdding(true)}>
          Add people…
        </button>
      )}
      {adding && <AddMembersDialog conversationId={id} onClose={() => setAdding(false)} />}
      {removed !== undefined && (
        <RemoveMemberDialog conversationId={id} userId={removed} onClose={() => setRemoved(undefined)} />
      )}
    </Section>
  )
}

const roleWords: Readonly<Record<string, string>> = { OWNER: 'Owner', ADMIN: 'Admin' }
