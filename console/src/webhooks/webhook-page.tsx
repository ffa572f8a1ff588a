import type { WebhookFieldsFragment } from '../generated/urql.ts'
import { Facts, Id } from '../parts/facts.tsx'
import { Page, Section } from '../parts/page.tsx'
import { Empty, Loaded } from '../parts/trouble.tsx'
import { FailedDeliveries } from './failed-deliveries.tsx'
import { WebhookActions } from './webhook-actions.tsx'
import { WebhookState } from './webhook-state.tsx'
import { useWebhooks } from './webhooks.tsx'

export function WebhookPage({ id }: { id: string }) {
  const { found, refresh } = useWebhooks()
  const webhook = found.data?.webhooks.find((each) => each.id === id)
  return (
    <Page title="Webhook" back="webhooks" onRefresh={refresh} actions={webhook && <WebhookActions webhook={webhook} />}>
      <Loaded of={found} onRetry={refresh}>
        {() =>
          webhook ? (
            <>
              <Details webhook={webhook} />
              <Section title="Failed deliveries">
                <FailedDeliveries webhookId={id} />
              </Section>
            </>
          ) : (
            <Empty>
              There is no webhook with the id <Id>{id}</Id>.
            </Empty>
          )
        }
      </Loaded>
    </Page>
  )
}

function Details({ webhook }: { webhook: WebhookFieldsFragment }) {
  const { id, url, eventTypes, position } = webhook
  return (
    <Facts
      of={{
        Address: <Id>{url}</Id>,
        Id: <Id>{id}</Id>,
        State: <WebhookState webhook={webhook} />,
        Events: eventTypes.length === 0 ? 'All' : eventTypes.join(', '),
        Position: <Id>{position}</Id>,
      }}
    />
  )
}
