import { useState } from 'react'
import { useWebhooksQuery, type WebhookFieldsFragment } from '../generated/urql.ts'
import { Id } from '../parts/facts.tsx'
import { Page } from '../parts/page.tsx'
import { Empty, Loaded } from '../parts/trouble.tsx'
import { usePolling } from '../parts/use-polling.ts'
import { hrefOf } from '../route.ts'
import { CreateWebhook } from './create-webhook.tsx'
import { WebhookState } from './webhook-state.tsx'
import styles from './webhooks.module.css'

/** How often the lag is asked for. */
const pollMs = 5000
/** The type is named here because an empty list has no webhook in it by which urql would know that a change concerns it. */
const context = { additionalTypenames: ['Webhook'] }

export function useWebhooks() {
  const [found, ask] = useWebhooksQuery({ context })
  const refresh = () => ask({ ...context, requestPolicy: 'network-only' })
  usePolling(refresh, pollMs, found.data !== undefined)
  return { found, refresh }
}

export function Webhooks() {
  const { found, refresh } = useWebhooks()
  const [creating, setCreating] = useState(false)
  const actions = (
    <button type="button" className="quiet-button" onClick={() => setCreating(true)}>
      New webhook…
    </button>
  )
  return (
    <Page title="Webhooks" onRefresh={refresh} actions={actions}>
      <Loaded of={found} onRetry={refresh}>
        {({ webhooks }) =>
          webhooks.length === 0 ? (
            <Empty>There are none. A webhook posts what happens to your backend.</Empty>
          ) : (
            <ul className={styles.webhooks}>
              {webhooks.map((webhook) => (
                <WebhookRow key={webhook.id} webhook={webhook} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {creating && <CreateWebhook onClose={() => setCreating(false)} />}
    </Page>
  )
}

function WebhookRow({ webhook }: { webhook: WebhookFieldsFragment }) {
  return (
    <li>
      <a className={styles.link} href={hrefOf({ view: 'webhooks', id: webhook.id })}>
        <Id>{webhook.url}</Id>
        <WebhookState webhook={webhook} />
      </a>
    </li>
  )
}
