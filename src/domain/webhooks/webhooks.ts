import { createHash } from 'node:crypto'
import type { Ports } from '../../ports/ports.ts'
import type { DeliveryFailure, ShareProgress, Webhook, WebhookObserver, WebhookPost } from '../../ports/webhooks.ts'
import { badInput, ChatError, unavailable } from '../../protocol/errors.ts'
import type { Tell } from '../feed/announce.ts'
import type { FeedEvent } from '../feed/feed-events.ts'
import type { FeedPositions } from '../feed/positions.ts'
import { conflict } from '../log/append.ts'
import type { LaneEvents } from './lane-events.ts'
import { joinPositions, partitionsOf, shares } from './shares.ts'
import { progressOf } from './work.ts'

// What backends do with webhooks. A change is written into the row of the webhook, and whoever holds its shares looks at that every other second.

const webhooksMax = 100
const changesMax = 10
/** A receiver has so long to begin with the new secret. */
const previousSecretMs = 24 * 60 * 60_000
const failuresAtATime = 100

type Wish = { url: string; eventTypes?: readonly string[]; from?: FeedPositions; clientWebhookId?: string }
type ChangeWish = {
  url?: string
  /** Null asks for all types. */
  eventTypes?: readonly string[] | null
  enabled?: boolean
  rotateSecret?: boolean
}

/** `position`: everything up to it was delivered or given up. */
export type WebhookState = { webhook: Webhook; position: FeedPositions; lagMs: number }
export type FailedDelivery = { failure: DeliveryFailure; event: FeedEvent | undefined }

type Needs = Pick<Ports, 'webhooks' | 'webhookProgress' | 'webhookFailures' | 'feed' | 'clock'> & {
  post: Pick<WebhookPost, 'problemOf' | 'newSecret'>
  tell: Tell
  observer: Pick<WebhookObserver, 'disabled'>
  laneEvents: LaneEvents
  feedEnd: () => Promise<FeedPositions>
  nextId: () => string
}

export type Webhooks = ReturnType<typeof createWebhooks>

export function createWebhooks(needs: Needs) {
  const { webhooks, webhookProgress, webhookFailures, feed, clock, post, tell, laneEvents, feedEnd, nextId } = needs

  const disabling = new Map<string, Promise<void>>()

  async function get(id: string): Promise<Webhook> {
    const found = await webhooks.get(id)
    if (!found) throw noWebhook()
    return found
  }

  async function assertGood(url: string): Promise<void> {
    const problem = await post.problemOf(url)
    if (problem !== undefined) throw badInput('url', `url ${problem}`)
  }

  async function create({ url, eventTypes, from, clientWebhookId }: Wish): Promise<Webhook> {
    const id = clientWebhookId === undefined ? `whk_${nextId()}` : idOf(clientWebhookId)
    const earlier = clientWebhookId === undefined ? undefined : await webhooks.get(id)
    if (!earlier) {
      await assertGood(url)
      if ((await webhooks.list()).length >= webhooksMax)
        throw new ChatError('FORBIDDEN', `There are ${webhooksMax} webhooks already, as many as there may be.`)
    }
    const now = clock.now()
    const standing =
      earlier ??
      (await webhooks.create({
        ...{ id, url, enabled: true, secret: post.newSecret(), start: from ?? (await feedEnd()) },
        ...(eventTypes && { eventTypes }),
        // A deleted webhook may have had this id. Its progress is of an earlier run, and so is not taken for this one's.
        ...{ run: now, resumedAtMs: now, createdAtMs: now, version: 1 },
      }))
    if (standing.version === 1 && standing.url !== url) throw conflict('clientWebhookId')
    return standing
  }

  /** Changes the webhook, and tries again if somebody else has changed it meanwhile. */
  async function alter(id: string, change: (webhook: Webhook) => Webhook | undefined): Promise<Webhook> {
    for (let attempt = 0; attempt < changesMax; attempt += 1) {
      const webhook = await get(id)
      const changed = change(webhook)
      if (!changed) return webhook
      const next = { ...changed, version: webhook.version + 1 }
      if (await webhooks.replace(next)) return next
    }
    throw unavailable(new Error('Others kept changing the webhook.'))
  }

  async function change(id: string, wish: ChangeWish): Promise<Webhook> {
    const { url, eventTypes, enabled, rotateSecret = false } = wish
    if (url !== undefined) await assertGood(url)
    const now = clock.now()
    const newSecret = post.newSecret()
    return alter(id, (webhook) => {
      const { eventTypes: types, disabledReason, ...rest } = webhook
      const isSwitchedOn = enabled === true && !webhook.enabled
      const isElsewhere = url !== undefined && url !== webhook.url
      const nextTypes = eventTypes === undefined ? types : (eventTypes ?? undefined)
      const reason = enabled === false ? (disabledReason ?? 'It was switched off.') : disabledReason
      return {
        ...rest,
        ...(url !== undefined && { url }),
        ...(nextTypes && { eventTypes: nextTypes }),
        ...(enabled !== undefined && { enabled }),
        ...(reason !== undefined && enabled !== true && { disabledReason: reason }),
        ...((isSwitchedOn || isElsewhere) && { resumedAtMs: now }),
        // A caller that was not answered asks again, and is shown the same secret.
        ...(rotateSecret &&
          !isGood(webhook.previous, now) && {
            secret: newSecret,
            previous: { secret: webhook.secret, untilMs: now + previousSecretMs },
          }),
      }
    })
  }

  /** All shares of a node find out at the same time, so the first call does it for all of them. */
  async function disable(id: string, reason: string): Promise<void> {
    const underWay = disabling.get(id) ?? disableNow(id, reason).finally(() => disabling.delete(id))
    disabling.set(id, underWay)
    await underWay
  }

  /** Tells of it first: if this node dies in between, the node that takes over finds the same, and tells of it again as the same event. */
  async function disableNow(id: string, reason: string): Promise<void> {
    const webhook = await webhooks.get(id)
    if (!webhook?.enabled) return
    const data = JSON.stringify({ webhookId: id, reason })
    await tell({ type: 'webhook.disabled', id: `${id}_${webhook.version}`, data })
    await alter(id, (standing) =>
      standing.enabled ? { ...standing, enabled: false, disabledReason: reason } : undefined,
    )
    needs.observer.disabled(id, reason)
  }

  async function remove(id: string): Promise<void> {
    await webhooks.remove(id)
    await removeFailures(id, () => true)
    await Promise.all(shares.map((share) => webhookProgress.remove(id, share)))
  }

  async function removeFailures(id: string, isOver: (failure: DeliveryFailure) => boolean): Promise<void> {
    for (let after = ''; ; ) {
      const found = await webhookFailures.above(id, after, failuresAtATime)
      for (const failure of found) if (isOver(failure)) await webhookFailures.remove(id, failure.id)
      const last = found.at(-1)
      if (!last || found.length < failuresAtATime) return
      after = last.id
    }
  }

  /** Delivers everything again that was announced after these positions. What was given up of it is no longer listed, until it is given up anew. */
  async function redeliverFrom(id: string, start: FeedPositions): Promise<Webhook> {
    const now = clock.now()
    const changed = await alter(id, (webhook) => ({ ...webhook, start, run: webhook.run + 1, resumedAtMs: now }))
    await removeFailures(
      id,
      ({ place, givenUpAtMs }) => givenUpAtMs <= now && place.row > (start[place.partition] ?? 0),
    )
    return changed
  }

  /** Delivers again what was given up so far; with `after`, only what was announced after these positions. */
  async function redeliverFailed(id: string, after: FeedPositions | undefined): Promise<Webhook> {
    const untilMs = clock.now()
    return alter(id, (webhook) => ({
      ...webhook,
      again: { run: (webhook.again?.run ?? 0) + 1, untilMs, ...(after && { after }) },
    }))
  }

  async function stateOf(webhook: Webhook): Promise<WebhookState> {
    const stored = await webhookProgress.of(webhook.id)
    const progress = shares.map((share) => progressOf(webhook, share, stored.get(share)))
    const position = [...joinPositions((share) => progress[share]?.positions ?? [])]
    let oldestMs = Number.POSITIVE_INFINITY
    for (const { place, sinceMs, failureId } of progress.flatMap(({ lanes }) => lanes)) {
      if (failureId !== undefined) continue
      position[place.partition] = Math.min(position[place.partition] ?? 0, place.row - 1)
      oldestMs = Math.min(oldestMs, sinceMs)
    }
    const unread = await Promise.all(
      shares.flatMap((share) =>
        partitionsOf(share).map((partition, i) => feed.above(partition, rowAt(progress[share], i), 1)),
      ),
    )
    for (const { atMs } of unread.flat()) oldestMs = Math.min(oldestMs, atMs)
    return { webhook, position, lagMs: Math.max(0, clock.now() - oldestMs) }
  }

  /** Newest first. */
  async function failed(id: string, before: string | undefined, limit: number): Promise<FailedDelivery[]> {
    await get(id)
    const found = await webhookFailures.below(id, before, limit)
    return Promise.all(found.map(async (failure) => ({ failure, event: await laneEvents.at(failure.place) })))
  }

  return { get, list: webhooks.list, create, change, disable, remove, redeliverFrom, redeliverFailed, stateOf, failed }
}

const isGood = (previous: Webhook['previous'], nowMs: number): boolean =>
  previous !== undefined && previous.untilMs > nowMs

const noWebhook = (): ChatError => new ChatError('NOT_FOUND', 'There is no such webhook.')

/** A retry finds the webhook that the first attempt has made. */
const idOf = (clientWebhookId: string): string =>
  `whk_${createHash('sha256').update(clientWebhookId).digest('base64url').slice(0, 22)}`

const rowAt = (progress: ShareProgress | undefined, i: number): number => Math.floor(progress?.positions[i] ?? 0)
