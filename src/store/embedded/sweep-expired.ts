import type { Key as EngineKey, KeyValue } from '../../engine/key-value/key-value.ts'
import type { Clock } from '../../ports/clock.ts'
import type { TableName } from '../rows/tables.ts'

// Removes the rows whose time is over, where DynamoDB has its TTL for that. It goes through the table in small steps, so that no step holds up
// the process for long: no index is kept by expiry, which would cost every send a row more.

/** They take a few ms. At one step a second, a pass goes through a million rows in an hour. */
const lookedAtInAStep = 300
const restMs = 60 * 60_000

/** Each call of the returned function is one step. */
export function createSweepExpired(
  engine: KeyValue,
  name: TableName & ('sends' | 'feed' | 'restrictions' | 'webhook_failures'),
  clock: Pick<Clock, 'now' | 'monotonic'>,
): () => Promise<void> {
  const table = engine.table<{ expires_at_s?: number }>(name)
  let above: EngineKey | undefined
  let restUntil = Number.NEGATIVE_INFINITY

  return async function step() {
    if (clock.monotonic() < restUntil) return
    const nowS = clock.now() / 1000
    const isOver = ({ expires_at_s: end }: { expires_at_s?: number }) => end !== undefined && end <= nowS
    const over: EngineKey[] = []
    let lookedAt = 0
    for (const [key, row] of table.entries(above)) {
      if (isOver(row)) over.push(key)
      above = key
      lookedAt += 1
      if (lookedAt === lookedAtInAStep) break
    }
    if (lookedAt < lookedAtInAStep) {
      above = undefined
      restUntil = clock.monotonic() + restMs
    }
    const remove = (key: EngineKey) =>
      table.update(key, (standing) => (standing && isOver(standing) ? 'remove' : 'keep'))
    await Promise.all(over.map(remove))
  }
}
