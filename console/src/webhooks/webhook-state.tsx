import type { WebhookFieldsFragment } from '../generated/urql.ts'
import { Badge } from '../parts/facts.tsx'
import { durationWords } from './duration-words.ts'
import styles from './webhooks.module.css'

/** A shorter lag is not shown: the event may have come just now. */
const lagWorthSayingSeconds = 5

/** Shows whether events are posted, and how far behind. */
export function WebhookState({ webhook: { enabled, disabledReason, lagSeconds } }: { webhook: WebhookFieldsFragment }) {
  const lags = lagSeconds >= lagWorthSayingSeconds
  return (
    <span className={styles.state}>
      {!enabled && <Badge tone="alarm">Disabled</Badge>}
      {!enabled && disabledReason && <span>{disabledReason}</span>}
      {lags ? <Badge tone="warning">{durationWords(lagSeconds)} behind</Badge> : enabled && <Badge>Up to date</Badge>}
    </span>
  )
}
