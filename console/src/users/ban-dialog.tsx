import { useState } from 'react'
import { useBanUserMutation } from '../generated/urql.ts'
import { ActionDialog, Choice, Field } from '../parts/action-dialog.tsx'
import { answered } from '../parts/answered.ts'
import { momentWords } from '../parts/facts.tsx'
import { useNotify } from '../parts/notice.tsx'
import { localInput } from './local-input.ts'

const lengths = { day: 'For a day', week: 'For a week', until: 'Until …', good: 'For good' }
type Length = keyof typeof lengths

const dayMs = 24 * 3600_000

export function BanDialog({ userId, onClose }: { userId: string; onClose: () => void }) {
  const [length, setLength] = useState<Length>('day')
  const [until, setUntil] = useState(() => localInput(new Date(Date.now() + dayMs)))
  const [, ban] = useBanUserMutation()
  const notify = useNotify()
  const end = endOf(length, until)
  const act = async () => {
    // Without an end, a ban is for good: an empty field must not become one.
    if (end === undefined) throw new Error('Say until when.')
    await answered(ban({ input: { userId, until: end === 'never' ? null : end.toISOString() } }))
    notify(end === 'never' ? `${userId} is banned for good.` : `${userId} is banned until ${momentWords(end)}.`)
  }
  return (
    <ActionDialog
      title={`Ban ${userId}?`}
      act="Ban"
      danger
      ready={end === 'never' || (end !== undefined && end.getTime() > Date.now())}
      onAct={act}
      onClose={onClose}
    >
      <p>
        They are refused everywhere, and their open sockets are closed. What they wrote stays. Nobody is shown a reason.
      </p>
      <Choice label="How long" options={lengths} value={length} onChange={setLength} />
      {length === 'until' && (
        <Field
          label="Until"
          type="datetime-local"
          value={until}
          onChange={setUntil}
          hint="By the clock of this device."
        />
      )}
    </ActionDialog>
  )
}

/** Returns undefined while there is no moment in the field. */
function endOf(length: Length, until: string): Date | 'never' | undefined {
  if (length === 'good') return 'never'
  if (length === 'day') return new Date(Date.now() + dayMs)
  if (length === 'week') return new Date(Date.now() + 7 * dayMs)
  const moment = new Date(until)
  return Number.isNaN(moment.getTime()) ? undefined : moment
}
