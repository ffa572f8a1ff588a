import type { Clock } from '../../ports/clock.ts'
import type { PushOutcome } from '../../ports/push.ts'

// Keeps one push service from holding up the others. Each service has a lane of its own, with a limit of pushes at a time, and after a failure
// a rest in which nothing is tried. A push that finds no room is not queued here; it comes back later.

const atATimeMax = 16
const restMinMs = 1000
const restMaxMs = 60_000
/** When a push that found no room comes back. */
const noRoomMs = 500
const lanesMax = 10_000

type Lane = { underWay: number; failures: number; restUntilMs: number }

/** `tried` says whether the service was asked at all. */
export type Attempt = { outcome: PushOutcome; tried: boolean }

export function createPushLanes(clock: Clock) {
  const lanes = new Map<string, Lane>()

  async function through(name: string, send: () => Promise<PushOutcome>): Promise<Attempt> {
    const lane = lanes.get(name) ?? { underWay: 0, failures: 0, restUntilMs: 0 }
    const restMs = lane.restUntilMs - clock.monotonic()
    if (restMs > 0) return { outcome: { type: 'retry', afterMs: restMs, reason: 'resting' }, tried: false }
    if (lane.underWay >= atATimeMax)
      return { outcome: { type: 'retry', afterMs: noRoomMs, reason: 'busy' }, tried: false }
    if (lanes.size >= lanesMax) forgetIdle()
    lanes.set(name, lane)
    lane.underWay += 1
    try {
      const outcome = await send()
      judge(lane, outcome)
      return { outcome, tried: true }
    } finally {
      lane.underWay -= 1
    }
  }

  function judge(lane: Lane, outcome: PushOutcome): void {
    if (outcome.type !== 'retry' || outcome.alone) {
      lane.failures = 0
      return
    }
    // Pushes that fail together count as one failure.
    if (lane.restUntilMs > clock.monotonic()) return
    const ownMs = Math.min(restMinMs * 2 ** lane.failures, restMaxMs)
    lane.failures += 1
    lane.restUntilMs = clock.monotonic() + Math.max(ownMs, outcome.afterMs ?? 0)
  }

  function forgetIdle(): void {
    for (const [name, lane] of lanes)
      if (lane.underWay === 0 && lane.restUntilMs <= clock.monotonic()) lanes.delete(name)
  }

  return { through }
}
