import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Notification, PushProvider } from '../../src/ports/push.ts'
import type { ConversationId } from '../../src/protocol/ids.ts'
import { createFcm } from '../../src/push/fcm.ts'
import { freePort } from '../kit/free-port.ts'
import { failure, startFcmService } from '../kit/services/fcm-service.ts'

const conversationId = 'grp_1' as ConversationId
const show: Notification = { type: 'show', conversationId, seq: 7, title: 'Tea', body: 'Alice: now?' }

let nowMs: number
let service: Awaited<ReturnType<typeof startFcmService>>
let provider: PushProvider

beforeEach(async () => {
  nowMs = Date.parse('2026-11-16T12:00:00Z')
  service = await startFcmService(() => nowMs)
  provider = createFcm({ account: service.account, endpoint: service.endpoint, now: () => nowMs })
})
afterEach(() => service.stop())

describe('a push by FCM', () => {
  test('shows a banner that replaces the conversation’s last one', async () => {
    expect(await provider.send('token-1', show)).toEqual({ type: 'accepted' })
    const [message] = service.received
    expect(message).toEqual({
      token: 'token-1',
      data: { title: 'Tea', body: 'Alice: now?', conversationId, seq: '7', tag: conversationId },
      notification: { title: 'Tea', body: 'Alice: now?' },
      android: {
        collapse_key: expect.any(String),
        ttl: '86400s',
        priority: 'HIGH',
        notification: { tag: conversationId },
      },
    })
  })

  test('that withdraws is data alone', async () => {
    await provider.send('token-1', { type: 'withdraw', conversationId, seq: 7 })
    const [message] = service.received
    expect(message).not.toHaveProperty('notification')
    expect(message?.data).toEqual({ withdraw: 'true', conversationId, seq: '7', tag: conversationId })
  })

  test('one access token serves many, and another is fetched before it ends', async () => {
    await Promise.all([1, 2, 3].map((n) => provider.send(`token-${n}`, show)))
    expect(service.assertions()).toBe(1)
    nowMs += 54 * 60_000
    await provider.send('token-1', show)
    expect(service.assertions()).toBe(1)
    nowMs += 2 * 60_000
    await provider.send('token-1', show)
    expect(service.assertions()).toBe(2)
    expect(service.problem()).toBeUndefined()
  })

  test('an access token that ended too soon is fetched anew, once', async () => {
    await provider.send('token-1', show)
    service.revoke()
    expect(await provider.send('token-1', show)).toEqual({ type: 'accepted' })
    expect(service.assertions()).toBe(2)
    service.next(failure(401, 'UNAUTHENTICATED'), failure(401, 'UNAUTHENTICATED'))
    expect(await provider.send('token-1', show)).toMatchObject({ type: 'retry' })
    expect(service.assertions()).toBe(3)
  })

  test.each([
    [failure(404, 'UNREGISTERED'), { type: 'unregistered' }],
    [failure(403, 'SENDER_ID_MISMATCH'), { type: 'unregistered' }],
    [failure(400, 'INVALID_ARGUMENT', 'message.token'), { type: 'unregistered' }],
    [failure(400, 'INVALID_ARGUMENT', 'message.android.ttl'), { type: 'rejected', reason: 'INVALID_ARGUMENT' }],
    [failure(403, 'PERMISSION_DENIED'), { type: 'rejected', reason: 'PERMISSION_DENIED' }],
    [
      { ...failure(429, 'QUOTA_EXCEEDED'), headers: { 'retry-after': '60' } },
      { type: 'retry', reason: 'QUOTA_EXCEEDED', afterMs: 60_000 },
    ],
    [failure(500, 'INTERNAL'), { type: 'retry', reason: 'INTERNAL' }],
    [failure(503, 'UNAVAILABLE'), { type: 'retry', reason: 'UNAVAILABLE' }],
  ])('%j', async (reply, outcome) => {
    service.next(reply)
    expect(await provider.send('token-1', show)).toEqual(outcome)
  })

  test('a service that is not there is tried again later, and so is one that gives no access token', async () => {
    const endpoint = `http://127.0.0.1:${await freePort()}`
    const nobody = createFcm({ account: service.account, endpoint, now: () => nowMs })
    expect(await nobody.send('token-1', show)).toMatchObject({ type: 'retry' })
    const account = { ...service.account, clientEmail: 'somebody@else' }
    const stranger = createFcm({ account, endpoint: service.endpoint, now: () => nowMs })
    expect(await stranger.send('token-1', show)).toMatchObject({
      type: 'retry',
      reason: expect.stringContaining('400'),
    })
  })

  test('a token has no blanks', () => {
    expect(provider.tokenProblem('abc:DEF_-1')).toBeUndefined()
    expect(provider.tokenProblem('a b')).toContain('FCM')
  })
})
