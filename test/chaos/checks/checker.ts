import { exitLimitMs } from '../faults/nemesis.ts'
import { checkFeed } from '../feed/check-feed.ts'
import { checkRecovery } from '../recovery.ts'
import type { Anomaly } from './anomaly.ts'
import { checkChanges } from './check-changes.ts'
import { checkErrors } from './check-errors.ts'
import { checkGroups } from './check-groups.ts'
import { checkDurable, checkOnce, checkOrder } from './check-log.ts'
import { checkPending } from './check-pending.ts'
import { checkRuntimes } from './check-runtime.ts'
import { checkSenderOrder } from './check-sender-order.ts'
import { checkDelivery, checkPrivacy } from './check-streams.ts'
import { checkTicks } from './check-ticks.ts'
import { checkVoids } from './check-voids.ts'
import { checkWatching } from './check-watching.ts'
import { createFinalLog } from './final-log.ts'
import type { History } from './history.ts'
import { createTenures } from './tenures.ts'

/** Compares what all clients saw with what was promised. This is a pure function: the same history gives the same result. */
export function check(history: History): Anomaly[] {
  const log = createFinalLog(history)
  const tenures = createTenures(history)
  return [
    ...checkDurable(history, log),
    ...checkOnce(history, log),
    ...checkOrder(history, log, tenures),
    ...checkSenderOrder(history, log),
    ...checkDelivery(history, log, tenures),
    ...checkTicks(history, log),
    ...checkPrivacy(history, tenures),
    ...checkGroups(history, log, tenures),
    ...checkWatching(history, tenures),
    ...checkChanges(history, log, tenures),
    ...checkRuntimes(history, log, tenures),
    ...checkErrors(history, log, tenures),
    ...checkPending(history),
    ...checkVoids(history),
    ...checkFeed(history),
    ...checkProcesses(history),
    ...checkRecovery(history),
  ]
}

function checkProcesses({ faults, incidents }: History): Anomaly[] {
  const badExits = faults.flatMap(({ target, exit, fromMs }): Anomaly[] => {
    if (!exit || (exit.code === 0 && exit.tookMs <= exitLimitMs)) return []
    const text = `${target} was told to stop and exited with code ${exit.code} after ${exit.tookMs} ms`
    return [{ promise: 'processes', text, atMs: fromMs }]
  })
  return [...badExits, ...incidents.map(({ atMs, text }): Anomaly => ({ promise: 'processes', text, atMs }))]
}
