import { useState } from 'react'
import {
  useDeleteWebhookMutation,
  useRedeliverMutation,
  useUpdateWebhookMutation,
  type WebhookFieldsFragment,
} from '../generated/urql.ts'
import { ActionDialog, Choice, Field } from '../parts/action-dialog.tsx'
import { answered } from '../parts/answered.ts'
import { useNotify } from '../parts/notice.tsx'
import { navigate } from '../use-route.ts'
import { EventTypes } from './event-types.tsx'
import { SecretDialog } from './secret-dialog.tsx'

type Asked = 'switch' | 'change' | 'secret' | 'redeliver' | 'delete'
type DialogProps = { webhook: WebhookFieldsFragment; onClose: () => void }

export function WebhookActions({ webhook }: { webhook: WebhookFieldsFragment }) {
  const [asked, setAsked] = useState<Asked>()
  const shared = { webhook, onClose: () => setAsked(undefined) }
  const button = (what: Asked, words: string) => (
    <button type="button" className="quiet-button" onClick={() => setAsked(what)}>
      {words}
    </button>
  )
  return (
    <>
      {button('switch', webhook.enabled ? 'Disable…' : 'Enable…')}
      {button('change', 'Change…')}
      {button('secret', 'New secret…')}
      {button('redeliver', 'Redeliver…')}
      {button('delete', 'Delete…')}
      {asked === 'switch' && <SwitchDialog {...shared} />}
      {asked === 'change' && <ChangeDialog {...shared} />}
      {asked === 'secret' && <RotateDialog {...shared} />}
      {asked === 'redeliver' && <RedeliverDialog {...shared} />}
      {asked === 'delete' && <DeleteDialog {...shared} />}
    </>
  )
}

function SwitchDialog({ webhook: { id, enabled }, onClose }: DialogProps) {
  const [, update] = useUpdateWebhookMutation()
  return (
    <ActionDialog
      title={enabled ? 'Disable the webhook?' : 'Enable the webhook?'}
      act={enabled ? 'Disable' : 'Enable'}
      danger={enabled}
      onAct={() => answered(update({ input: { webhookId: id, enabled: !enabled } }))}
      onClose={onClose}
    >
      <p>
        {enabled
          ? 'Nothing is posted until it is enabled again. It then goes on where it was, with what is still in the feed.'
          : 'It goes on where it was, with what is still in the feed.'}
      </p>
    </ActionDialog>
  )
}

function ChangeDialog({ webhook, onClose }: DialogProps) {
  const [url, setUrl] = useState(webhook.url)
  const [eventTypes, setEventTypes] = useState<readonly string[]>(webhook.eventTypes)
  const [, update] = useUpdateWebhookMutation()
  const input = { webhookId: webhook.id, url: url.trim(), eventTypes: [...eventTypes] }
  return (
    <ActionDialog
      title="Change the webhook"
      act="Change"
      ready={url.trim() !== ''}
      onAct={() => answered(update({ input }))}
      onClose={onClose}
    >
      <Field label="Address" type="url" value={url} onChange={setUrl} />
      <EventTypes chosen={eventTypes} onChange={setEventTypes} />
    </ActionDialog>
  )
}

function RotateDialog({ webhook: { id }, onClose }: DialogProps) {
  const [secret, setSecret] = useState<string>()
  const [, update] = useUpdateWebhookMutation()
  const act = async () => {
    const { webhook } = (await answered(update({ input: { webhookId: id, rotateSecret: true } }))).updateWebhook
    setSecret(webhook.secret ?? '')
  }
  if (secret !== undefined) return <SecretDialog secret={secret} onClose={onClose} />
  return (
    <ActionDialog title="Make a new secret?" act="Make it" onAct={act} onClose={onClose} staysOpen>
      <p>The one before signs beside it for a day. Until then, hand the new one to your backend.</p>
    </ActionDialog>
  )
}

const amounts = { failed: 'Only what was given up', from: 'Everything after a position' }

function RedeliverDialog({ webhook: { id }, onClose }: DialogProps) {
  const [amount, setAmount] = useState<keyof typeof amounts>('failed')
  const [typed, setTyped] = useState('')
  const [, redeliver] = useRedeliverMutation()
  const notify = useNotify()
  const from = typed.trim()
  const act = async () => {
    const input = { webhookId: id, ...(amount === 'failed' ? { failedOnly: true } : { from }) }
    await answered(redeliver({ input }, { additionalTypenames: ['FailedDelivery'] }))
    notify('It is on its way again.')
  }
  return (
    <ActionDialog
      title="Deliver again"
      act="Redeliver"
      ready={amount === 'failed' || from !== ''}
      onAct={act}
      onClose={onClose}
    >
      <Choice label="What" options={amounts} value={amount} onChange={setAmount} />
      {amount === 'from' && (
        <Field
          label="Position"
          value={typed}
          onChange={setTyped}
          hint="Of any event. Your backend gets again what it may have had; the ids of events stay the same."
        />
      )}
    </ActionDialog>
  )
}

function DeleteDialog({ webhook: { id, url }, onClose }: DialogProps) {
  const [, remove] = useDeleteWebhookMutation()
  const act = async () => {
    await answered(remove({ input: { webhookId: id } }, { additionalTypenames: ['Webhook'] }))
    navigate({ view: 'webhooks' })
  }
  return (
    <ActionDialog title="Delete the webhook?" act="Delete" danger onAct={act} onClose={onClose}>
      <p>Nothing is posted to {url} any more. Its secret, its place in the feed and what was given up are gone.</p>
    </ActionDialog>
  )
}
