import type { Clock } from '../../ports/clock.ts'
import type { ShareProgress, Webhook, WebhookFailures, WebhookObserver, WebhookPost } from '../../ports/webhooks.ts'
import { toTimeText } from '../../protocol/time-text.ts'
import type { FeedEvent } from '../feed/feed-events.ts'
import type { FeedReader } from '../feed/feed-reader.ts'
import type { LaneEvents } from './lane-events.ts'
import { advance, endLane, enqueue, type Lane, openLane, openLanes, passUnwanted, storedLanes } from './lanes.ts'
import { createOutcomes, type EndpointState } from './outcomes.ts'
import { ownPositions, shareOf } from './shares.ts'

// Posts the events of one share of the feed to one endpoint. docs/protocol.md, "Webhooks", has the interleavings.
//
// The progress is a snapshot: how far the feed was read, and the lanes, which are what was read and not taken. Both are in one row, so they always belong
// together. What was taken since the last snapshot is posted again by the next holder.

/** An endpoint has at most so many requests at once from each share. */
const inFlightMax = 8
/** While so many lanes wait, nothing more is read. The places of all are in one row. */
const lanesMax = 256
const eventsAtATime = 64
const lookEveryMs = 200
const saveEveryMs = 1000
const failuresAtATime = 32
const troubleMs = 1000
/** An attempt is over within this time. */
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
  const { clock, post, failures, laneEvents, observer, reader, isHeld, onError } = needs
  let settings = webhook
  const lanes = openLanes(begun)
  const progress: EndpointState = { ...begun }
  const outcomes = createOutcomes({ ...needs, webhookId: webhook.id, lanes, endpoint: progress })
  const busy = new Set<string>()
  const stopping = new AbortController()
  let inFlight = 0
  let isDirty = true
  let savedAtMs = Number.NEGATIVE_INFINITY
  let woken = new AbortController()
  let isReadToEnd = false
  if (webhook.resumedAtMs !== begun.resumedAtMs) outcomes.forgetTrouble()

  const wants = ({ type }: FeedEvent): boolean => settings.eventTypes?.includes(type) ?? true
  const wake = (): void => woken.abort()

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
          isDirty = true
          wake()
        })
    }
  }

  async function deliver(lane: Lane): Promise<void> {
    const event = await headOf(lane)
    if (!event) {
      endLane(lanes, lane)
      return
    }
    const { url } = settings
    const outcome = await post({ url, secrets: secretsOf(settings, clock.now()), id: event.id, body: bodyOf(event) })
    if (outcome.ok) await outcomes.taken(lane, outcome)
    else await outcomes.notTaken(lane, event, outcome)
  }

  /** Returns the first event of the lane that is wanted, if it has one. */
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

  /** Returns how long to sleep. What is due and cannot begin yet is begun when something else has ended, which wakes. */
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
      // The share may be held again after a while in which the store of its lease was away.
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
      if (isResumed) outcomes.forgetTrouble()
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
