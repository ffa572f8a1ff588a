import type { Clock } from '../../ports/clock.ts'
import type { Operations } from '../execution/operations.ts'
import { within } from '../limits/deadline.ts'
import { type Handler, sendJson } from './exchange.ts'

/** `keys`: whether tokens can be verified; only where the keys are an identity provider's. */
export type Readiness = { redis: boolean; dynamodb: boolean; keys?: boolean }

const answerWithinMs = 2000

/** GET /healthz says that the process is alive. */
export const live: Handler = ({ response }) => sendJson(response, 200, { status: 'ok' })

/** GET /readyz says whether the node can serve; if not, the answer names what fails. */
export function createReadyHandler(ready: () => Promise<Readiness>, operations: Operations, clock: Clock): Handler {
  return async ({ response }) => {
    const backends = await within(clock, answerWithinMs, ready()).catch(() => ({ redis: false, dynamodb: false }))
    const { leaving } = operations
    const fit = Object.values(backends).every((isFit) => isFit) && !leaving
    sendJson(response, fit ? 200 : 503, { status: fit ? 'ready' : leaving ? 'draining' : 'unavailable', ...backends })
  }
}
