import type { Clock } from '../../ports/clock.ts'
import type {
  DeliveryFailure,
  DeliveryOutcome,
  ShareProgress,
  Webhook,
  WebhookFailures,
  WebhookObserver,
  WebhookPost,
} from '../../ports/webhooks.ts'
import { toTimeText } from '../../protocol/time-text.ts'
import type { FeedEvent } from '../feed/feed-events.ts'
import type { FeedReader } from '../feed/feed-reader.ts'
import type { LaneEvents } from './lane-events.ts'
import { advance, enqueue, type Lane, openLane, openLanes, passUnwanted, storedLanes } from './lanes.ts'
import { disableAfterMs, giveUpAfterMs, pauseMs, restMs } from './retries.ts'
import { ownPositions, shareOf } from './shares.ts'

// Posts the events of one share of the feed to one endpoint. docs/protocol.md, "Webhooks", has the interleavings.
//
// The progress is a snapshot: how far the feed was read, and the lanes, which are what was read and not taken. Both are in one row, so they always belong
// together. What was taken since the last snapshot is posted again by the next holder.

/** A slow endpoint has so many requests at once from each share. */
const inFlightMax = 8
/** Then nothing more is read: so many conversations wait. Their places are in one row. */
const lanesMax = 256
const eventsAtATime = 64
const lookEveryMs = 200
const saveEveryMs = 1000
const failuresAtATime = 32
/** After so many failures in a row, the first success shows that an endpoint is back. */
const manyFailures = 5
const troubleMs = 1000
const goneMs = 10_000
/** An attempt is over by then. */
const attemptMs = 16_000

type Needs = {
  clock: Clock
  random: () => number
  post: WebhookPost['post']
  failures: WebhookFailures
  laneEvents: LaneEvents
  observer: WebhookObserver
  reader: FeedReader
  /** Returns false where somebody else has taken the share. */
  save: (progress: ShareProgress) => Promise<boolean>
  /** Whether this node still holds the share. */
  isHeld: () => boolean
  onGone: () => void
  onLongFailure: (sinceMs: number) => void
  onError: (error: unknown) => void
}

export type Delivery = ReturnType<typeof startDelivery>

export function startDelivery(share: number, webhook: Webhook, begun: ShareProgress, needs: Needs) {
  const { clock, random, post, failures, laneEvents, observer, reader, isHeld, onError } = needs
  let settings = webhook
  const lanes = openLanes(begun)
  const progress: Mutable<Omit<ShareProgress, 'lanes' | 'positions'>> = { ...begun }
  const busy = new Set<string>()
  const stopping = new AbortController()
  let inFlight = 0
  let failuresInARow = 0
  let isDirty = true
  let savedAtMs = Number.NEGATIVE_INFINITY
  let woken = new AbortController()
  let isReadToEnd = false
  if (webhook.resumedAtMs !== begun.resumedAtMs) forgetTrouble()

  const wants = ({ type }: FeedEvent): boolean => settings.eventTypes?.includes(type) ?? true
  const wake = (): void => woken.abort()

  /** It was switched on again, or has another address. */
  function forgetTrouble(): void {
    failuresInARow = 0
    delete progress.failingSinceMs
    delete progress.pausedUntilMs
    for (const lane of lanes.values()) {
      lane.nextAtMs = 0
      delete lane.notBeforeMs
      delete lane.blockedSinceMs
    }
  }

  async function readMore(): Promise<void> {
    if (lanes.size >= lanesMax) return
    const events = await reader.read(eventsAtATime)
    isReadToEnd = events.length < eventsAtATime
    for (const event of events) {
      if (wants(event)) enqueue(lanes, event, clock.now())
      else passUnwanted(lanes, event)
    }
    if (events.length > 0) isDirty = true
  }

  /** Takes up what was given up and is to be delivered again. */
  async function readFailures(): Promise<void> {
    const { again } = settings
    if (again && progress.againRun < again.run) {
      progress.againRun = again.run
      progress.againAfter = ''
      isDirty = true
    }
    if (!again || progress.againAfter === undefined || lanes.size > lanesMax / 2) return
    const found = await failures.above(settings.id, progress.againAfter, failuresAtATime)
    for (const { id, place, givenUpAtMs } of found) {
      const isAsked = givenUpAtMs <= again.untilMs && place.row > (again.after?.[place.partition] ?? 0)
      if (!isAsked || shareOf(place.partition) !== share || lanes.has(id)) continue
      const lane = openLane({ place, failureId: id, sinceMs: clock.now(), attempts: 0, nextAtMs: 0 })
      lanes.set(id, lane)
    }
    if (found.length < failuresAtATime) delete progress.againAfter
    else progress.againAfter = found.at(-1)?.id ?? ''
    isDirty = true
  }

  function startDue(): void {
    const now = clock.now()
    if ((progress.pausedUntilMs ?? 0) > now) return
    for (const lane of lanes.values()) {
      if (inFlight >= inFlightMax || !isHeld()) return
      if (lane.nextAtMs > now || busy.has(lane.busyKey)) continue
      busy.add(lane.busyKey)
      inFlight += 1
      void deliver(lane)
        .catch((error: unknown) => {
          lane.nextAtMs = clock.now() + troubleMs
          onError(error)
        })
        .finally(() => {
          busy.delete(lane.busyKey)
          inFlight -= 1
          wake()
        })
    }
  }

  async function deliver(lane: Lane): Promise<void> {
    const event = await headOf(lane)
    if (!event) {
      end(lane)
      return
    }
    const { id, url } = settings
    const outcome = await post({ url, secrets: secretsOf(settings, clock.now()), id: event.id, body: bodyOf(event) })
    isDirty = true
    if (outcome.ok) await taken(id, lane, outcome)
    else await notTaken(id, lane, event, outcome)
  }

  async function taken(webhookId: string, lane: Lane, { tookMs }: DeliveryOutcome): Promise<void> {
    observer.delivered(webhookId, tookMs)
    if (lane.failureId !== undefined) await failures.remove(webhookId, lane.failureId)
    progress.lastSuccessMs = clock.now()
    delete progress.failingSinceMs
    // The endpoint is back: what waits need not wait any longer, but for what it has asked for.
    if (failuresInARow >= manyFailures)
      for (const each of lanes.values()) {
        const soonMs = Math.min(each.nextAtMs, clock.now() + random() * lookEveryMs)
        each.nextAtMs = Math.max(each.notBeforeMs ?? 0, soonMs)
      }
    failuresInARow = 0
    delete lane.blockedSinceMs
    lane.nextAtMs = 0
    // Others that are due come first.
    lanes.delete(lane.key)
    if (advance(lane, clock.now())) lanes.set(lane.key, lane)
  }

  async function notTaken(
    webhookId: string,
    lane: Lane,
    event: FeedEvent,
    { tookMs, status, error, retryAfterMs = 0 }: DeliveryOutcome & { ok: false },
  ): Promise<void> {
    observer.failed(webhookId, tookMs, status === undefined ? 'connection' : String(status))
    const now = clock.now()
    failuresInARow += 1
    if (now - (progress.lastFailureMs ?? 0) > restMs) delete progress.failingSinceMs
    progress.lastFailureMs = now
    progress.failingSinceMs ??= now
    lane.attempts += 1
    if (now - lane.nextAtMs > restMs) delete lane.blockedSinceMs
    lane.blockedSinceMs ??= now
    lane.lastError = error
    if (status === undefined) delete lane.lastStatus
    else lane.lastStatus = status
    lane.nextAtMs = now + Math.max(pauseMs(lane.attempts, random), retryAfterMs)
    if (retryAfterMs > 0) lane.notBeforeMs = now + retryAfterMs
    else delete lane.notBeforeMs
    if (retryAfterMs > 0 && (status === 429 || status === 503)) progress.pausedUntilMs = now + retryAfterMs
    if (status === 410) {
      // By then it is switched off. If that has failed, it is tried again with the next attempt.
      progress.pausedUntilMs = Math.max(progress.pausedUntilMs ?? 0, now + goneMs)
      needs.onGone()
    }
    const dueSinceMs = Math.max(event.occurredAtMs, lane.blockedSinceMs)
    if (now - dueSinceMs >= giveUpAfterMs) await giveUp(webhookId, lane, event, dueSinceMs)
    if (now - progress.failingSinceMs >= disableAfterMs) needs.onLongFailure(progress.failingSinceMs)
  }

  /** Its id is the same if this is done again after a crash. */
  async function giveUp(webhookId: string, lane: Lane, event: FeedEvent, dueSinceMs: number): Promise<void> {
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
    if (!advance(lane, clock.now())) end(lane)
  }

  /** Returns the event at the head of the lane, if it has one that is wanted. */
  async function headOf(lane: Lane): Promise<FeedEvent | undefined> {
    for (;;) {
      const [head] = lane.buffer
      if (head && wants(head)) return head
      if (head) {
        if (advance(lane, clock.now())) continue
        return undefined
      }
      const { place, upTo } = lane
      if (upTo === undefined || place.conversationId === undefined) {
        const event = await laneEvents.at(place)
        if (event) lane.buffer.push(event)
        if (event) continue
        if (lane.failureId !== undefined) await failures.remove(settings.id, lane.failureId)
        return undefined
      }
      const { events, reached } = await laneEvents.read(place.conversationId, place, upTo)
      lane.buffer.push(...events)
      lane.heldTo = reached
      if (events.length > 0) continue
      if (reached >= (lane.upTo ?? 0)) return undefined
      lane.place = { ...place, seq: reached + 1, nth: 0 }
    }
  }

  /** Ends a lane that has nothing more, unless something has come behind it meanwhile. */
  function end(lane: Lane): void {
    isDirty = true
    if (lane.upTo === undefined || lane.heldTo >= lane.upTo) lanes.delete(lane.key)
  }

  async function save(): Promise<void> {
    savedAtMs = clock.monotonic()
    isDirty = false
    const snapshot: ShareProgress = {
      ...progress,
      positions: ownPositions(share, reader.positions()),
      lanes: storedLanes(lanes.values()),
      resumedAtMs: settings.resumedAtMs,
    }
    try {
      if (!(await needs.save(snapshot))) stopping.abort()
    } catch (error) {
      isDirty = true
      throw error
    }
  }

  /** Whatever is due while it cannot begin is begun when something else has ended. */
  function untilDueMs(): number {
    const now = clock.now()
    let untilMs = lookEveryMs
    for (const { nextAtMs } of lanes.values()) if (nextAtMs > now) untilMs = Math.min(untilMs, nextAtMs - now)
    return untilMs
  }

  function tellState(): void {
    const now = clock.now()
    const oldest = Math.min(now, ...[...lanes.values()].map(({ sinceMs }) => sinceMs))
    const waiting = [...lanes.values()].filter(({ attempts }) => attempts > 0).length
    observer.state(settings.id, share, { lagMs: now - oldest, waiting })
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      woken = new AbortController()
      // The lease may be held again, after its store was away for a while.
      if (!isHeld()) {
        await clock.sleep(lookEveryMs, woken.signal)
        continue
      }
      try {
        await readFailures()
        await readMore()
        startDue()
        if (isDirty && clock.monotonic() - savedAtMs >= saveEveryMs) await save()
        tellState()
        // With more to read and room for it there is nothing to wait for.
        if (!isReadToEnd && lanes.size < lanesMax) continue
        await clock.sleep(untilDueMs(), woken.signal)
      } catch (error) {
        onError(error)
        await clock.sleep(troubleMs, woken.signal)
      }
    }
  }

  async function finish(withinMs: number): Promise<void> {
    const endAtMs = clock.monotonic() + withinMs
    while (inFlight > 0 && clock.monotonic() < endAtMs) {
      woken = new AbortController()
      await clock.sleep(endAtMs - clock.monotonic(), woken.signal)
    }
    observer.state(settings.id, share, undefined)
    if (isHeld()) await save().catch(onError)
  }

  const running = run()
  return {
    webhook: () => settings,
    /** Everything but the run may change. */
    change(next: Webhook): void {
      const isResumed = next.resumedAtMs > settings.resumedAtMs
      settings = next
      if (isResumed) forgetTrouble()
      wake()
    },
    /** Resolves when nothing is under way any more, or nothing is waited for any longer, and the progress is stored. */
    async stop(withinMs = attemptMs): Promise<void> {
      stopping.abort()
      wake()
      await running
      await finish(withinMs)
    },
    isOver: () => stopping.signal.aborted,
  }
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

const secretsOf = ({ secret, previous }: Webhook, nowMs: number): string[] =>
  previous && previous.untilMs > nowMs ? [secret, previous.secret] : [secret]

/** `type`, `timestamp` and `data` are what Standard Webhooks asks for; the others are those of the API. */
function bodyOf({ id, type, occurredAtMs, conversationId, seq, data }: FeedEvent): string {
  const at = toTimeText(occurredAtMs)
  return JSON.stringify({
    id,
    type,
    timestamp: at,
    occurredAt: at,
    conversationId: conversationId ?? null,
    seq: seq ?? null,
    data,
  })
}
