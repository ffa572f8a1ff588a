import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { deriveVapid } from '../../src/config/derived-secrets.ts'
import type { Notification, PushProvider } from '../../src/ports/push.ts'
import type { ConversationId } from '../../src/protocol/ids.ts'
import { createWebPush } from '../../src/push/webpush.ts'
import { InnerAddressError, isPublicAddress, isPublicName, publicLookup } from '../../src/shared/public-address.ts'
import { freePort } from '../kit/free-port.ts'
import { startWebPushService, type WebPushService } from '../kit/services/web-push-service.ts'

const nowMs = Date.parse('2026-11-16T12:00:00Z')
const vapid = { ...deriveVapid(new Uint8Array(32).fill(7)), subject: 'mailto:push@parley.example' }
const conversationId = 'dm_abc' as ConversationId
const show: Notification = { type: 'show', conversationId, seq: 7, title: 'Alice', body: 'Tea? 🫖' }

let service: WebPushService
let provider: PushProvider

beforeEach(async () => {
  service = await startWebPushService()
  provider = createWebPush({ vapid, now: () => nowMs, publicOnly: false })
})
afterEach(async () => {
  provider.close()
  await service.stop()
})

describe('a push to a browser', () => {
  test('is decrypted by it, signed by the server, and replaces the conversation’s last one', async () => {
    const browser = service.subscribe()
    expect(await provider.send(browser.token, show)).toEqual({ type: 'accepted' })
    expect(await provider.send(browser.token, { ...show, seq: 8, body: 'Now?' })).toEqual({ type: 'accepted' })
    const [first, second] = browser.received
    expect(first?.payload).toEqual({ title: 'Alice', body: 'Tea? 🫖', conversationId, seq: 7, tag: conversationId })
    expect(first?.serverKey).toBe(vapid.publicKey)
    expect(first?.claims).toMatchObject({ aud: service.origin, sub: vapid.subject })
    expect(first?.headers).toMatchObject({ ttl: '86400', urgency: 'high' })
    expect(first?.headers.topic).toMatch(/^[A-Za-z0-9_-]{1,32}$/)
    expect(second?.headers.topic).toBe(first?.headers.topic)
    expect(browser.banners()).toEqual(['Alice: Now?'])
  })

  test('that withdraws takes the banner away, and the topic of what still waits', async () => {
    const browser = service.subscribe()
    await provider.send(browser.token, show)
    await provider.send(browser.token, { type: 'withdraw', conversationId, seq: 7 })
    expect(browser.received[1]?.payload).toEqual({ withdraw: true, conversationId, seq: 7, tag: conversationId })
    expect(browser.received[1]?.headers).toMatchObject({ urgency: 'low', topic: browser.received[0]?.headers.topic })
    expect(browser.banners()).toEqual([])
  })

  test('the longest there may be fits', async () => {
    const browser = service.subscribe()
    const longest = {
      ...show,
      title: '\u{1F600}'.repeat(100),
      body: `${'\u{1F600}'.repeat(100)}: ${'\u{1F600}'.repeat(240)}`,
    }
    expect(await provider.send(browser.token, longest)).toEqual({ type: 'accepted' })
    expect(browser.received[0]?.payload).toMatchObject({ body: longest.body })
    expect(Number(browser.received[0]?.headers['content-length'])).toBeLessThanOrEqual(4096)
  })

  test('a browser that has unsubscribed is unregistered', async () => {
    const browser = service.subscribe()
    browser.unsubscribe()
    expect(await provider.send(browser.token, show)).toEqual({ type: 'unregistered' })
  })

  test.each([
    [404, undefined, { type: 'unregistered' }],
    [410, undefined, { type: 'unregistered' }],
    [413, undefined, { type: 'rejected', reason: '413' }],
    [403, undefined, { type: 'rejected', reason: '403' }],
    [307, undefined, { type: 'rejected', reason: '307' }],
    [429, '30', { type: 'retry', reason: '429', alone: true, afterMs: 30_000 }],
    [429, new Date(nowMs + 5000).toUTCString(), { type: 'retry', reason: '429', alone: true, afterMs: 5000 }],
    [500, undefined, { type: 'retry', reason: '500' }],
    [503, '2', { type: 'retry', reason: '503', afterMs: 2000 }],
  ])('%i with Retry-After %s', async (status, after, outcome) => {
    service.answer({ status, ...(after && { headers: { 'retry-after': after, location: 'http://127.0.0.1/' } }) })
    expect(await provider.send(service.subscribe().token, show)).toEqual(outcome)
    expect(service.arrived()).toBe(1)
  })

  test('a service that does not answer is given up, one that is not there too', async () => {
    const hasty = createWebPush({ vapid, now: () => nowMs, publicOnly: false, timeoutMs: 1 })
    service.hold()
    expect(await hasty.send(service.subscribe().token, show)).toMatchObject({ type: 'retry' })
    hasty.close()
    const nobody = { ...service.subscribe().subscription, endpoint: `http://127.0.0.1:${await freePort()}/` }
    expect(await provider.send(JSON.stringify(nobody), show)).toMatchObject({ type: 'retry' })
  })

  test('services fail by their origin', () => {
    const { subscription } = service.subscribe()
    const elsewhere = JSON.stringify({ ...subscription, endpoint: 'https://push.example/abc' })
    expect(provider.laneOf(service.subscribe().token)).toBe(service.origin)
    expect(provider.laneOf(elsewhere)).toBe('https://push.example')
  })
})

describe('a subscription', () => {
  const problemOf = (change: object, publicOnly = true): string | undefined =>
    createWebPush({ vapid, now: () => nowMs, publicOnly }).tokenProblem(
      JSON.stringify({ ...service.subscribe().subscription, endpoint: 'https://push.example/abc', ...change }),
    )

  test('as a browser gives it is taken', () => {
    expect(problemOf({ expirationTime: null })).toBeUndefined()
  })

  test.each([
    ['no keys', { keys: undefined }],
    ['half a key', { keys: { p256dh: 'BA', auth: 'AAAAAAAAAAAAAAAAAAAAAA' } }],
    ['a key that is no point', { keys: { p256dh: `BA${'A'.repeat(85)}`, auth: 'AAAAAAAAAAAAAAAAAAAAAA' } }],
    ['no endpoint', { endpoint: undefined }],
    ['no URL', { endpoint: 'push' }],
  ])('with %s is refused', (_, change) => {
    expect(problemOf(change)).toContain('push subscription as JSON')
  })

  test('that is no JSON is refused', () => {
    expect(provider.tokenProblem('{')).toContain('push subscription as JSON')
    expect(provider.tokenProblem('null')).toContain('push subscription as JSON')
  })

  test.each([
    'http://push.example/a',
    'https://user:secret@push.example/a',
    'ftp://push.example/a',
    'https://localhost/a',
    'https://db.localhost/a',
    'https://redis/a',
    'https://10.0.0.1/a',
    'https://8.8.8.8/a',
    'https://2130706433/a',
    'https://0x7f.1/a',
    'https://[::1]/a',
    'https://metadata.google.internal/a',
  ])('for %s is refused in production', (endpoint) => {
    expect(problemOf({ endpoint })).toContain('endpoint must be')
  })

  test('on this machine is taken on a desk alone', () => {
    expect(problemOf({ endpoint: 'http://127.0.0.1:4001/a' }, false)).toBeUndefined()
    expect(problemOf({ endpoint: 'http://push.example/a' }, false)).toContain('https')
  })

  test('registered before the rules were strict is not sent to', async () => {
    const strict = createWebPush({ vapid, now: () => nowMs, publicOnly: true })
    expect(await strict.send(service.subscribe().token, show)).toEqual({ type: 'unregistered' })
    expect(service.arrived()).toBe(0)
  })
})

test('a name that leads inside is not connected to', async () => {
  const found = (name: string) => new Promise((resolve) => publicLookup(name, {}, (...answer) => resolve(answer)))
  expect(await found('localhost')).toEqual([expect.any(InnerAddressError), []])
})

test('addresses inside a network are told from those on the internet', () => {
  const inside = ['10.1.2.3', '127.0.0.1', '169.254.169.254', '172.20.0.1', '192.168.1.1', '100.64.0.1', '0.0.0.0']
  const inside6 = ['::1', '::', 'fe80::1', 'fd00::1', '::ffff:10.0.0.1', '64:ff9b::a00:1', '2002:a00:1::', 'ff02::1']
  for (const address of [...inside, ...inside6, '255.255.255.255'])
    expect(isPublicAddress(address), address).toBe(false)
  for (const address of ['8.8.8.8', '172.32.0.1', '2606:4700::1111'])
    expect(isPublicAddress(address), address).toBe(true)
  expect(isPublicName('updates.push.services.mozilla.com')).toBe(true)
})
