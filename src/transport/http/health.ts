import { Gauge, type Registry } from 'prom-client'
import type { Clock } from '../../ports/clock.ts'
import type { Operations } from '../execution/operations.ts'
import { within } from '../limits/deadline.ts'
import { type Handler, sendJson } from './exchange.ts'

/** `reason`: why not, in a word. */
type Checked = { isFit: boolean; reason?: string }
type Named<Value> = { redis: Value; dynamodb: Value }

/** Whether the backends serve: as it is now, and as it was found last. */
export type Readiness = { ask(): Promise<Named<Checked>>; last(): Named<boolean> }

/** Whether tokens can be verified; undefined unless the keys are an identity provider's. */
export type HasKeys = (() => boolean) | undefined

const answerWithinMs = 2000
const late: Checked = { isFit: false, reason: 'timeout' }

/** GET /healthz says that the process is alive, and of which release. */
export const createHealthHandler =
  (release: string): Handler =>
  ({ response }) =>
    sendJson(response, 200, { status: 'ok', release })

/** GET /readyz says whether the node can serve; if not, the answer names what fails, and why. */
export function createReadyHandler(
  readiness: Readiness,
  hasKeys: HasKeys,
  operations: Operations,
  clock: Clock,
): Handler {
  return async ({ response }) => {
    const backends = await within(clock, answerWithinMs, readiness.ask()).catch(() => ({ redis: late, dynamodb: late }))
    const checks = Object.entries<Checked>({ ...backends, ...(hasKeys && { keys: { isFit: hasKeys() } }) })
    const { leaving } = operations
    const fit = checks.every(([, { isFit }]) => isFit) && !leaving
    const reasons = checks.filter(([, { reason }]) => reason !== undefined).map(([name, { reason }]) => [name, reason])
    sendJson(response, fit ? 200 : 503, {
      status: fit ? 'ready' : leaving ? 'draining' : 'unavailable',
      ...Object.fromEntries(checks.map(([name, { isFit }]) => [name, isFit])),
      ...(reasons.length > 0 && { reasons: Object.fromEntries(reasons) }),
    })
  }
}

/** The same for Prometheus, without a check of its own. */
export function showReadiness(registry: Registry, readiness: Readiness, hasKeys: HasKeys): void {
  new Gauge({
    name: 'parley_ready',
    help: 'Whether the node could write to this backend when it looked last, or can verify tokens',
    labelNames: ['check'],
    registers: [registry],
    collect() {
      const checks = { ...readiness.last(), ...(hasKeys && { keys: hasKeys() }) }
      for (const [check, isFit] of Object.entries(checks)) this.set({ check }, isFit ? 1 : 0)
    },
  })
}
