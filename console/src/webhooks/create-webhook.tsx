import { useState } from 'react'
import { useCreateWebhookMutation } from '../generated/urql.ts'
import { newId } from '../new-id.ts'
import { ActionDialog, Field } from '../parts/action-dialog.tsx'
import { answered } from '../parts/answered.ts'
import { EventTypes } from './event-types.tsx'
import { SecretDialog } from './secret-dialog.tsx'

export function CreateWebhook({ onClose }: { onClose: () => void }) {
  const [secret, setSecret] = useState<string>()
  const [url, setUrl] = useState('')
  const [eventTypes, setEventTypes] = useState<readonly string[]>([])
  const [from, setFrom] = useState('')
  // The id stays for another attempt, so that it finds what the first has made.
  const [clientWebhookId] = useState(newId)
  const [, create] = useCreateWebhookMutation()
  const act = async () => {
    const position = from.trim()
    const input = {
      clientWebhookId,
      url: url.trim(),
      ...(eventTypes.length > 0 && { eventTypes: [...eventTypes] }),
      ...(position && { from: position }),
    }
    const { webhook } = (await answered(create({ input }))).createWebhook
    setSecret(webhook.secret ?? '')
  }
  if (secret !== undefined) return <SecretDialog secret={secret} onClose={onClose} />
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
