import type { Clock } from '../../ports/clock.ts'
import type { PushOutcome } from '../../ports/push.ts'

// What keeps one push service from holding up the others. Each has a lane of its own: so many pushes at a time, and after a failure
// a rest in which nothing is tried. What finds no room comes back later; nobody waits in line for it.

const atATimeMax = 16
const restMinMs = 1000
const restMaxMs = 60_000
/** To where there was no room. */
const noRoomMs = 500
const lanesMax = 10_000

type Lane = { underWay: number; failures: number; restUntilMs: number }

/** `tried`: whether the service was asked at all. */
export type Tried = { outcome: PushOutcome; tried: boolean }

export function createPushLanes(clock: Clock) {
  const lanes = new Map<string, Lane>()

  async function through(name: string, send: () => Promise<PushOutcome>): Promise<Tried> {
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
    // Those that fail together are one failure.
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
