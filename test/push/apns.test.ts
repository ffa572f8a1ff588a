import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Notification, PushProvider } from '../../src/ports/push.ts'
import type { ConversationId } from '../../src/protocol/ids.ts'
import { createApns } from '../../src/push/apns.ts'
import { freePort } from '../kit/free-port.ts'
import { startApnsService } from '../kit/services/apns-service.ts'

const conversationId = `grp_${'1'.repeat(64)}` as ConversationId
const show: Notification = { type: 'show', conversationId, seq: 7, title: 'Tea', body: 'Alice: now?' }
const token = 'ab'.repeat(32)

let nowMs: number
let service: Awaited<ReturnType<typeof startApnsService>>
let provider: PushProvider

beforeEach(async () => {
  nowMs = Date.parse('2026-11-16T12:00:00Z')
  service = await startApnsService(() => nowMs)
  provider = createApns({ account: service.account, endpoint: service.endpoint, now: () => nowMs })
})
afterEach(async () => {
  provider.close()
  await service.stop()
})

describe('a push by APNs', () => {
  test('shows a banner that replaces the conversation’s last one', async () => {
    expect(await provider.send(token, show)).toEqual({ type: 'accepted' })
    expect(await provider.send(token, { ...show, seq: 8 })).toEqual({ type: 'accepted' })
    const [first, second] = service.received
    expect(first?.token).toBe(token)
    expect(first?.headers).toMatchObject({
      'apns-push-type': 'alert',
      'apns-priority': '10',
      'apns-expiration': String(nowMs / 1000 + 86_400),
    })
    expect(first?.body).toEqual({
      aps: { alert: { title: 'Tea', body: 'Alice: now?' }, sound: 'default', 'thread-id': conversationId },
      conversationId,
      seq: 7,
    })
    expect(second?.headers['apns-collapse-id']).toBe(first?.headers['apns-collapse-id'])
    expect(service.connections()).toBe(1)
  })

  test('that withdraws wakes the app, and shows nothing', async () => {
    await provider.send(token, { type: 'withdraw', conversationId, seq: 7 })
    expect(service.received[0]?.headers).toMatchObject({ 'apns-push-type': 'background', 'apns-priority': '5' })
    expect(service.received[0]?.body).toEqual({
      aps: { 'content-available': 1 },
      withdraw: true,
      conversationId,
      seq: 7,
    })
  })

  test('one provider token serves for 40 minutes', async () => {
    await Promise.all([1, 2, 3].map(() => provider.send(token, show)))
    nowMs += 39 * 60_000
    await provider.send(token, show)
    expect(service.providerTokens()).toBe(1)
    nowMs += 60_000
    await provider.send(token, show)
    expect(service.providerTokens()).toBe(2)
  })

  test('one that has expired is made anew, once', async () => {
    service.next({ status: 403, reason: 'ExpiredProviderToken' })
    expect(await provider.send(token, show)).toEqual({ type: 'accepted' })
    expect(service.received).toHaveLength(1)
    const expired = { status: 403, reason: 'ExpiredProviderToken' }
    service.next(expired, expired)
    expect(await provider.send(token, show)).toEqual({ type: 'rejected', reason: 'ExpiredProviderToken' })
  })

  test.each([
    [{ status: 410, reason: 'Unregistered' }, { type: 'unregistered' }],
    [{ status: 400, reason: 'BadDeviceToken' }, { type: 'unregistered' }],
    [{ status: 400, reason: 'DeviceTokenNotForTopic' }, { type: 'unregistered' }],
    [
      { status: 413, reason: 'PayloadTooLarge' },
      { type: 'rejected', reason: 'PayloadTooLarge' },
    ],
    [
      { status: 403, reason: 'InvalidProviderToken' },
      { type: 'rejected', reason: 'InvalidProviderToken' },
    ],
    [
      { status: 429, reason: 'TooManyRequests', headers: { 'retry-after': '10' } },
      { type: 'retry', reason: 'TooManyRequests', alone: true, afterMs: 10_000 },
    ],
    [
      { status: 429, reason: 'TooManyProviderTokenUpdates' },
      { type: 'retry', reason: 'TooManyProviderTokenUpdates' },
    ],
    [
      { status: 500, reason: 'InternalServerError' },
      { type: 'retry', reason: 'InternalServerError' },
    ],
    [
      { status: 503, reason: 'ServiceUnavailable', headers: { 'retry-after': '3' } },
      { type: 'retry', reason: 'ServiceUnavailable', afterMs: 3000 },
    ],
    [{ status: 503 }, { type: 'retry', reason: '503' }],
  ])('%j', async (reply, outcome) => {
    service.next(reply)
    expect(await provider.send(token, show)).toEqual(outcome)
  })

  test('a connection that is to be left is left, and the next push goes over another', async () => {
    await provider.send(token, show)
    service.goAway()
    await expect.poll(async () => provider.send(token, show).then(() => service.connections())).toBe(2)
    expect(await provider.send(token, show)).toEqual({ type: 'accepted' })
  })

  test('a service that does not answer is given up, and the next push tries another connection', async () => {
    const { account, endpoint } = service
    // Long enough for the push to arrive: the next one would otherwise meet the silence that was meant for it.
    const hasty = createApns({ account, endpoint, now: () => nowMs, timeoutMs: 1000 })
    service.next('nothing')
    expect(await hasty.send(token, show)).toMatchObject({ type: 'retry', reason: 'no answer within 1000 ms' })
    hasty.close()
    const before = service.connections()
    expect(await provider.send(token, show)).toEqual({ type: 'accepted' })
    expect(service.connections()).toBe(before + 1)
  })

  test('a service that is not there is tried again later', async () => {
    const endpoint = `http://127.0.0.1:${await freePort()}`
    const nobody = createApns({ account: service.account, endpoint, now: () => nowMs })
    expect(await nobody.send(token, show)).toMatchObject({ type: 'retry' })
    nobody.close()
  })

  test('a token is hex', () => {
    expect(provider.tokenProblem(token)).toBeUndefined()
    expect(provider.tokenProblem('../../1')).toContain('hex')
    expect(provider.tokenProblem('ab')).toContain('hex')
  })
})
