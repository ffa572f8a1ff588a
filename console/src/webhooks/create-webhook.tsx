import { useState } from 'react'
import answers from '../../../demo/src/parts/confirm-dialog.module.css'
import { CopyButton } from '../../../demo/src/parts/copy-button.tsx'
import { Dialog } from '../../../demo/src/parts/dialog.tsx'
import { useCreateWebhookMutation } from '../generated/urql.ts'
import { ActionDialog, Field } from '../parts/action-dialog.tsx'
import { answered } from '../parts/answered.ts'
import { EventTypes } from './event-types.tsx'
import styles from './webhooks.module.css'

/** The secret is in the answer and nowhere else, so it is shown until somebody says that they have it. */
export function CreateWebhook({ onClose }: { onClose: () => void }) {
  const [secret, setSecret] = useState<string>()
  const [url, setUrl] = useState('')
  const [eventTypes, setEventTypes] = useState<readonly string[]>([])
  const [from, setFrom] = useState('')
  const [, create] = useCreateWebhookMutation()
  const act = async () => {
    const position = from.trim()
    const input = {
      url: url.trim(),
      ...(eventTypes.length > 0 && { eventTypes: [...eventTypes] }),
      ...(position && { from: position }),
    }
    const { webhook } = (await answered(create({ input }))).createWebhook
    setSecret(webhook.secret ?? '')
  }
  if (secret !== undefined) return <Secret secret={secret} onClose={onClose} />
  return (
    <ActionDialog title="New webhook" act="Create" ready={url.trim() !== ''} onAct={act} onClose={onClose} staysOpen>
      <Field label="Address" type="url" value={url} onChange={setUrl} placeholder="https://shop.example/parley" />
      <EventTypes chosen={eventTypes} onChange={setEventTypes} />
      <Field
        label="Begin after position"
        value={from}
        onChange={setFrom}
        hint="Empty: with what happens from now on."
      />
    </ActionDialog>
  )
}

function Secret({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <Dialog title="The secret of the webhook" onClose={() => undefined} asks>
      <p>Deliveries are signed with it. It is shown once: copy it to where your backend finds it.</p>
      <p className={styles.secret}>
        <code>{secret}</code>
        <CopyButton text={secret} />
      </p>
      <div className={answers.answers}>
        <button type="button" className="button" onClick={onClose}>
          I have it
        </button>
      </div>
    </Dialog>
  )
}
