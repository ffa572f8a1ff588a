import type { Clock } from '../../ports/clock.ts'
import type {
  DeliveryFailure,
  DeliveryOutcome,
  ShareProgress,
  WebhookFailures,
  WebhookObserver,
} from '../../ports/webhooks.ts'
import type { FeedEvent } from '../feed/feed-events.ts'
import { advance, endLane, type Lane } from './lanes.ts'
import { disableAfterMs, giveUpAfterMs, pauseMs, restMs } from './retries.ts'

// What follows from an attempt to post an event: when its lane goes on, whether the event is given up, and whether the webhook is switched off.

/** After so many failures in a row, the first success shows that an endpoint is back. */
const manyFailures = 5
/** When an endpoint is back, what waits is posted at some time within this. */
const soonMs = 200
const goneMs = 10_000

/** What is known of the endpoint, beside what is in the lanes. */
export type EndpointState = {
  -readonly [Name in keyof Omit<ShareProgress, 'lanes' | 'positions'>]: ShareProgress[Name]
}

type Needs = {
  webhookId: string
  lanes: Map<string, Lane>
  endpoint: EndpointState
  clock: Clock
  random: () => number
  failures: WebhookFailures
  observer: WebhookObserver
  onGone: () => void
  onLongFailure: (sinceMs: number) => void
}

export function createOutcomes(needs: Needs) {
  const { webhookId, lanes, endpoint, clock, random, failures, observer } = needs
  let failuresInARow = 0

  /** Forgets all trouble, because the webhook was switched on again, or has another address. */
  function forgetTrouble(): void {
    failuresInARow = 0
    delete endpoint.failingSinceMs
    delete endpoint.pausedUntilMs
    for (const lane of lanes.values()) {
      lane.nextAtMs = 0
      delete lane.notBeforeMs
      delete lane.blockedSinceMs
    }
  }

  async function taken(lane: Lane, { tookMs }: DeliveryOutcome): Promise<void> {
    observer.delivered(webhookId, tookMs)
    if (lane.failureId !== undefined) await failures.remove(webhookId, lane.failureId)
    endpoint.lastSuccessMs = clock.now()
    delete endpoint.failingSinceMs
    if (failuresInARow >= manyFailures) hasten()
    failuresInARow = 0
    delete lane.blockedSinceMs
    lane.nextAtMs = 0
    // Others that are due come first.
    lanes.delete(lane.key)
    if (advance(lane, clock.now())) lanes.set(lane.key, lane)
  }

  /** The endpoint is back, so what waits need not wait any longer, except for what it has asked for. */
  function hasten(): void {
    for (const each of lanes.values()) {
      const nextAtMs = Math.min(each.nextAtMs, clock.now() + random() * soonMs)
      each.nextAtMs = Math.max(each.notBeforeMs ?? 0, nextAtMs)
    }
  }

  async function notTaken(
    lane: Lane,
    event: FeedEvent,
    { tookMs, status, error, retryAfterMs = 0 }: DeliveryOutcome & { ok: false },
  ): Promise<void> {
    observer.failed(webhookId, tookMs, status === undefined ? 'connection' : String(status))
    const now = clock.now()
    failuresInARow += 1
    if (now - (endpoint.lastFailureMs ?? 0) > restMs) delete endpoint.failingSinceMs
    endpoint.lastFailureMs = now
    endpoint.failingSinceMs ??= now
    lane.attempts += 1
    if (now - lane.nextAtMs > restMs) delete lane.blockedSinceMs
    lane.blockedSinceMs ??= now
    lane.lastError = error
    if (status === undefined) delete lane.lastStatus
    else lane.lastStatus = status
    lane.nextAtMs = now + Math.max(pauseMs(lane.attempts, random), retryAfterMs)
    if (retryAfterMs > 0) lane.notBeforeMs = now + retryAfterMs
    else delete lane.notBeforeMs
    if (retryAfterMs > 0 && (status === 429 || status === 503)) endpoint.pausedUntilMs = now + retryAfterMs
    if (status === 410) {
      // By then the webhook is switched off. If that has failed, it is tried again with the next attempt.
      endpoint.pausedUntilMs = Math.max(endpoint.pausedUntilMs ?? 0, now + goneMs)
      needs.onGone()
    }
    const dueSinceMs = Math.max(event.occurredAtMs, lane.blockedSinceMs)
    if (now - dueSinceMs >= giveUpAfterMs) await giveUp(lane, event, dueSinceMs)
    if (now - endpoint.failingSinceMs >= disableAfterMs) needs.onLongFailure(endpoint.failingSinceMs)
  }

  /** Lists the event as given up. Its id there is the same if this is done again after a crash. */
  async function giveUp(lane: Lane, event: FeedEvent, dueSinceMs: number): Promise<void> {
    const { place, attempts, lastStatus, lastError, failureId } = lane
    const { id: eventId, type, occurredAtMs } = event
    const id = `${String(dueSinceMs + giveUpAfterMs).padStart(14, '0')}_${eventId}`
    const failure: DeliveryFailure = {
      ...{ id, eventId, type, occurredAtMs, place, attempts, givenUpAtMs: clock.now() },
      ...(lastStatus !== undefined && { lastStatus }),
      ...(lastError !== undefined && { lastError }),
    }
    await failures.put(webhookId, failure)
    if (failureId !== undefined && failureId !== id) await failures.remove(webhookId, failureId)
    observer.gaveUp(webhookId)
    lane.nextAtMs = Math.max(lane.notBeforeMs ?? 0, clock.now() + pauseMs(1, random))
    if (!advance(lane, clock.now())) endLane(lanes, lane)
  }

  return { taken, notTaken, forgetTrouble }
}
