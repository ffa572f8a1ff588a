import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Stores } from '../../../src/ports/ports.ts'
import type { DeliveryFailure, ShareProgress, Webhook } from '../../../src/ports/webhooks.ts'
import { upTo } from '../../kit/ids.ts'

type Opened = Pick<Stores, 'webhooks' | 'webhookProgress' | 'webhookFailures'>

const now = Date.UTC(2026, 5, 1)
const aWebhook = (): Webhook => ({
  id: `whk_${randomUUID()}`,
  url: 'https://shop.example/parley',
  eventTypes: ['message.sent'],
  enabled: true,
  secret: 'whsec_AAAA',
  start: [1, 2.5],
  run: 1,
  resumedAtMs: now,
  createdAtMs: now,
  version: 1,
})
const aProgress = (position: number): ShareProgress => ({
  run: 1,
  againRun: 0,
  positions: [position, 0],
  lanes: [
    { place: { partition: 3, row: position }, sinceMs: now, attempts: 1, nextAtMs: now, lastError: 'status 500' },
  ],
  resumedAtMs: now,
})
const aFailure = (n: number): DeliveryFailure => ({
  id: `${String(now + n).padStart(14, '0')}_evt_${n}`,
  eventId: `evt_${n}`,
  type: 'message.sent',
  occurredAtMs: now,
  place: { partition: 3, row: n },
  attempts: 30,
  lastStatus: 500,
  givenUpAtMs: now,
})

export function webhooksContract(open: () => Opened): void {
  test('a webhook is made once, changed from the version that stands, and removed', async () => {
    const { webhooks } = open()
    const webhook = aWebhook()
    expect(await webhooks.create(webhook)).toEqual(webhook)
    expect(await webhooks.create({ ...webhook, url: 'https://other.example' })).toEqual(webhook)
    const changed = { ...webhook, enabled: false, version: 2 }
    expect(await webhooks.replace(changed)).toBe(true)
    expect(await webhooks.replace({ ...changed, enabled: true })).toBe(false)
    expect(await webhooks.get(webhook.id)).toEqual(changed)
    expect(await webhooks.list()).toContainEqual(changed)
    await webhooks.remove(webhook.id)
    await webhooks.remove(webhook.id)
    expect(await webhooks.get(webhook.id)).toBeUndefined()
    expect(await webhooks.replace({ ...changed, version: 3 })).toBe(false)
  })

  test('progress is kept for each share, and not overwritten under an earlier lease', async () => {
    const { webhookProgress } = open()
    const { id } = aWebhook()
    expect(await webhookProgress.of(id)).toEqual(new Map())
    expect(await webhookProgress.save(id, 0, 2, aProgress(5))).toBe(true)
    expect(await webhookProgress.save(id, 0, 2, aProgress(6))).toBe(true)
    expect(await webhookProgress.save(id, 7, 1, aProgress(9))).toBe(true)
    expect(await webhookProgress.save(id, 0, 1, aProgress(4))).toBe(false)
    expect(await webhookProgress.of(id)).toEqual(
      new Map([
        [0, aProgress(6)],
        [7, aProgress(9)],
      ]),
    )
    await webhookProgress.remove(id, 0)
    await webhookProgress.remove(id, 0)
    expect([...(await webhookProgress.of(id)).keys()]).toEqual([7])
  })

  test('failures are listed in both directions, put again and removed', async () => {
    const { webhookFailures } = open()
    const { id } = aWebhook()
    const [one, two, three] = upTo(3).map(aFailure) as [DeliveryFailure, DeliveryFailure, DeliveryFailure]
    for (const failure of [two, three, one, two]) await webhookFailures.put(id, failure)
    expect(await webhookFailures.above(id, '', 2)).toEqual([one, two])
    expect(await webhookFailures.above(id, two.id, 2)).toEqual([three])
    expect(await webhookFailures.below(id, undefined, 2)).toEqual([three, two])
    expect(await webhookFailures.below(id, two.id, 2)).toEqual([one])
    await webhookFailures.remove(id, two.id)
    await webhookFailures.remove(id, two.id)
    expect(await webhookFailures.below(id, undefined, 9)).toEqual([three, one])
    expect(await webhookFailures.above(aWebhook().id, '', 9)).toEqual([])
  })
}
