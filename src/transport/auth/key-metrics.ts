import type { Logger } from 'pino'
import { Counter, Gauge, type Registry } from 'prom-client'
import type { Clock } from '../../ports/clock.ts'
import { createOnceAMinute } from '../../shared/once-a-minute.ts'
import { type KeyFetchObserver, type KeySet, keyFetchFailures } from './key-set.ts'

/** Counts and logs how the keys of the identity provider are fetched. */
export function observeKeyFetches(registry: Registry, logger: Logger, clock: Clock): KeyFetchObserver {
  const failures = new Counter({
    name: 'parley_auth_key_fetch_failures_total',
    help: 'Times the keys of the identity provider could not be fetched',
    labelNames: ['reason'],
    registers: [registry],
  })
  for (const reason of keyFetchFailures) failures.inc({ reason }, 0)
  const onceAMinute = createOnceAMinute(clock)
  let isAway = false
  return (failure) => {
    if (failure) {
      failures.inc({ reason: failure.reason })
      onceAMinute(failure.reason, (count) =>
        logger.warn({ ...failure, count }, 'the keys of the identity provider cannot be fetched'),
      )
    } else if (isAway) logger.info('the keys of the identity provider are fetched again')
    isAway = failure !== undefined
  }
}

/** Shows what is known of the identity provider's keys. */
export function showKeys(registry: Registry, keySet: KeySet): void {
  new Gauge({
    name: 'parley_auth_keys',
    help: 'Keys of the identity provider that tokens are verified with; 0 before they were fetched first',
    registers: [registry],
    collect() {
      this.set(keySet.state().keys)
    },
  })
  new Gauge({
    name: 'parley_auth_keys_age_seconds',
    help: 'How long ago the keys of the identity provider were fetched last',
    registers: [registry],
    collect() {
      const { ageMs } = keySet.state()
      if (ageMs !== undefined) this.set(ageMs / 1000)
    },
  })
}
