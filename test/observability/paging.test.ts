import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Labels, startAlertmanager } from '../kit/services/alertmanager.ts'

let alertmanager: Awaited<ReturnType<typeof startAlertmanager>>

beforeAll(async () => {
  alertmanager = await startAlertmanager()
})
afterAll(() => alertmanager.stop())

const page = (alertname: string, labels: Labels = {}): Labels => ({ alertname, severity: 'page', ...labels })
const ticket = (alertname: string, labels: Labels = {}): Labels => ({ alertname, severity: 'ticket', ...labels })
const atEach = (alarm: typeof page, alertname: string, labels: Labels = {}): Labels[] =>
  ['a', 'b'].map((instance) => alarm(alertname, { instance, ...labels }))

async function notificationsOf(firing: readonly Labels[], expected: object): Promise<void> {
  await alertmanager.fire(firing)
  await expect.poll(alertmanager.notifications).toEqual(expected)
}

/** What operations show while a backend is away, whichever it is. */
const symptoms = [
  page('ParleyUnavailable'),
  page('ParleySendSlow'),
  page('ParleyDeliverySlow'),
  ticket('ParleyCatchUpSlow'),
  ticket('ParleyVoids'),
  ticket('ParleyPushLag'),
  ticket('ParleyWebhookLag', { webhook: 'crm' }),
  ticket('ParleyTasksStuck', { kind: 'exportUser' }),
]

describe('one page is sent', () => {
  it('about a Redis that is gone, for all nodes', () =>
    notificationsOf(
      [
        ...atEach(page, 'ParleyRedisLost', { link: 'commands' }),
        ...atEach(page, 'ParleyRedisLost', { link: 'events' }),
        ...atEach(page, 'ParleyNotReady', { check: 'redis' }),
        ...atEach(page, 'ParleyRedisErrors', { reason: 'connection' }),
        ...atEach(ticket, 'ParleyResyncs'),
        ...symptoms,
      ],
      [{ receiver: 'page', alarms: ['ParleyRedisLost'] }],
    ))

  it('about a Redis that is full', () =>
    notificationsOf(
      [
        ...atEach(page, 'ParleyNotReady', { check: 'redis' }),
        ...atEach(page, 'ParleyRedisErrors', { reason: 'full' }),
        ...symptoms,
      ],
      [{ receiver: 'page', alarms: ['ParleyNotReady'] }],
    ))

  it('about a DynamoDB that denies', () =>
    notificationsOf(
      [
        ...atEach(page, 'ParleyNotReady', { check: 'dynamodb' }),
        page('ParleyDynamoErrors', { table: 'messages', reason: 'denied' }),
        page('ParleyDynamoErrors', { table: 'sends', reason: 'denied' }),
        ticket('ParleyDynamoSlow'),
        ...symptoms,
      ],
      [{ receiver: 'page', alarms: ['ParleyNotReady'] }],
    ))

  it('about an identity provider that no node could ask', () =>
    notificationsOf(
      [
        ...atEach(page, 'ParleyNotReady', { check: 'keys' }),
        ...atEach(ticket, 'ParleyAuthKeysAway', { reason: 'timeout' }),
        page('ParleyAllUnauthenticated'),
      ],
      [{ receiver: 'page', alarms: ['ParleyNotReady'] }],
    ))

  it('about all nodes that are gone', () =>
    notificationsOf(
      [page('ParleyNoNode'), ...atEach(page, 'ParleyNodeDown'), ticket('ParleyNodesGone'), page('ParleyUnavailable')],
      [{ receiver: 'page', alarms: ['ParleyNoNode'] }],
    ))

  it('about a node that is gone, and nothing else of it', () =>
    notificationsOf(
      [page('ParleyNodeDown', { instance: 'a' }), page('ParleyNotReady', { instance: 'a', check: 'redis' })],
      [{ receiver: 'page', alarms: ['ParleyNodeDown'] }],
    ))
})

describe('an outage does not hide', () => {
  it('what does not follow from it', () =>
    notificationsOf(
      [
        ...atEach(page, 'ParleyRedisLost', { link: 'commands' }),
        page('ParleyDynamoErrors', { table: 'messages', reason: 'denied' }),
        page('ParleyOpenFiles', { instance: 'a' }),
        ticket('ParleyInternalErrors'),
        ...symptoms,
      ],
      [
        { receiver: 'page', alarms: ['ParleyDynamoErrors'] },
        { receiver: 'ticket', alarms: ['ParleyInternalErrors'] },
        { receiver: 'page', alarms: ['ParleyOpenFiles'] },
        { receiver: 'page', alarms: ['ParleyRedisLost'] },
      ],
    ))

  it('what another node says of itself', () =>
    notificationsOf(
      [
        page('ParleyNodeDown', { instance: 'a' }),
        page('ParleyNotReady', { instance: 'a', check: 'dynamodb' }),
        page('ParleyEventLoopLag', { instance: 'b' }),
      ],
      [
        { receiver: 'page', alarms: ['ParleyEventLoopLag'] },
        { receiver: 'page', alarms: ['ParleyNodeDown'] },
      ],
    ))
})
