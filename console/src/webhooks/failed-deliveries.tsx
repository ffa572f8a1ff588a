import { EventRow } from '../events/event-row.tsx'
import {
  FailedDeliveriesDocument,
  type FailedDeliveriesQuery,
  type FailedDeliveriesQueryVariables,
} from '../generated/urql.ts'
import { Moment } from '../parts/facts.tsx'
import { Paged } from '../parts/paged.tsx'
import styles from './webhooks.module.css'

type Delivery = FailedDeliveriesQuery['failedDeliveries']['edges'][number]['node']

export function FailedDeliveries({ webhookId }: { webhookId: string }) {
  return (
    <Paged<FailedDeliveriesQuery, Pick<FailedDeliveriesQueryVariables, 'webhookId'>, Delivery>
      query={FailedDeliveriesDocument}
      variables={{ webhookId }}
      pageIn={(data) => data.failedDeliveries}
      typename="FailedDelivery"
      className={styles.deliveries}
      row={(delivery) => <FailedDelivery key={delivery.id} delivery={delivery} />}
      empty="Nothing was given up."
    />
  )
}

function FailedDelivery({ delivery: { event, attempts, lastStatus, lastError, givenUpAt } }: { delivery: Delivery }) {
  return (
    <EventRow event={event}>
      Given up <Moment at={givenUpAt} /> after {attempts === 1 ? '1 attempt' : `${attempts} attempts`}
      {lastStatus != null && `, the last answered ${lastStatus}`}
      {lastError && `: ${lastError}`}
    </EventRow>
  )
}
