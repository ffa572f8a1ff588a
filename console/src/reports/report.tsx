import { useState } from 'react'
import { type ReportFieldsFragment, useResolveReportMutation } from '../generated/urql.ts'
import { ActionDialog, Field } from '../parts/action-dialog.tsx'
import { answered } from '../parts/answered.ts'
import { Badge, Id, Moment, Quote } from '../parts/facts.tsx'
import { hrefOf } from '../route.ts'
import { BanDialog } from '../users/ban-dialog.tsx'
import { reasonWords } from './reason-words.ts'
import styles from './reports.module.css'

type Props = { report: ReportFieldsFragment }

export function Report({ report }: Props) {
  const { state, reporterId, userId, conversationId, seq, body, reason, comment, createdAt, resolution } = report
  const [asked, setAsked] = useState<'resolve' | 'ban'>()
  const close = () => setAsked(undefined)
  return (
    <li className={styles.report}>
      <p className={styles.head}>
        <Badge {...(state === 'OPEN' && { tone: 'warning' })}>{reasonWords(reason)}</Badge>
        <span>
          <Person id={userId} />, reported by <Person id={reporterId} />
        </span>
        <span className={styles.soft}>
          <Moment at={createdAt} />
        </span>
      </p>
      {body != null && <Quote>{body}</Quote>}
      {comment && <p dir="auto">“{comment}”</p>}
      {resolution != null && (
        <p dir="auto">
          <span className={styles.soft}>Resolved:</span> {resolution}
        </p>
      )}
      <p className={styles.actions}>
        {conversationId && (
          <a
            className="quiet-button"
            href={hrefOf({
              view: 'conversations',
              id: conversationId,
              ...(seq != null && { at: { seq: String(seq) } }),
            })}
          >
            Show in its place
          </a>
        )}
        <button type="button" className="quiet-button" onClick={() => setAsked('ban')}>
          Ban {userId}…
        </button>
        {state === 'OPEN' && (
          <button type="button" className="quiet-button" onClick={() => setAsked('resolve')}>
            Resolve…
          </button>
        )}
      </p>
      {asked === 'resolve' && <ResolveDialog report={report} onClose={close} />}
      {asked === 'ban' && <BanDialog userId={userId} onClose={close} />}
    </li>
  )
}

const Person = ({ id }: { id: string }) => (
  <a href={hrefOf({ view: 'users', id })}>
    <Id>{id}</Id>
  </a>
)

function ResolveDialog({ report: { id, userId }, onClose }: Props & { onClose: () => void }) {
  const [resolution, setResolution] = useState('')
  const [, resolve] = useResolveReportMutation()
  return (
    <ActionDialog
      title={`Resolve the report about ${userId}`}
      act="Resolve"
      ready={resolution.trim() !== ''}
      onAct={() => answered(resolve({ input: { reportId: id, resolution } }))}
      onClose={onClose}
    >
      <Field
        label="What was done"
        long
        value={resolution}
        onChange={setResolution}
        hint="For those who look at it later. Neither of the two is shown it."
      />
    </ActionDialog>
  )
}
