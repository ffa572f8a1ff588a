import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { DeviceId, UserId } from '../../../src/protocol/ids.ts'
import { upTo } from '../../kit/ids.ts'
import { type RawServer, startRawServer } from '../../kit/services/raw-server.ts'
import { startWebPushService, type WebPushService } from '../../kit/services/web-push-service.ts'
import { startWorld, type World } from '../../kit/world.ts'

const patience = { timeout: 20_000, interval: 10 }
const switching = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'
let world: World
let service: WebPushService
let rude: RawServer[]

beforeAll(async () => {
  service = await startWebPushService()
  // A node asks one service 16 times at once, and has 256 places in all: seventeen services are enough to take every place.
  rude = await Promise.all(upTo(17).map(() => startRawServer((socket) => socket.write(switching))))
  world = await startWorld({
    config: { push: { preview: true, log: false, privateEndpoints: true, vapid: 'derived' } },
    app: { push: { works: false } },
  })
})
afterAll(async () => {
  await world?.stop()
  await Promise.all([service, ...rude].map((each) => each.stop()))
})

test('push endpoints that answer 101 do not keep a node from telling others, however many there are', async () => {
  const { domain, ports } = world.nodes[0]?.parts ?? expect.fail()
  const alice = await world.person('alice', { displayName: 'Alice' })

  async function subscribe(userId: string, token: string): Promise<void> {
    await domain.devices.register(userId as UserId, { deviceId: 'browser' as DeviceId, platform: 'WEBPUSH', token })
  }

  const victims = rude.flatMap(({ origin }, n) => upTo(16).map((m) => ({ origin, userId: `rude-${n}-${m}` })))
  for (const { origin, userId } of victims) {
    const endpoint = `${origin}/push/${userId}`
    await subscribe(userId, JSON.stringify({ ...service.subscribe().subscription, endpoint }))
    await alice.send({ userId }, 'hi')
  }
  await vi.waitFor(
    async () => expect(await ports.push?.queue.backlog()).toMatchObject({ jobs: victims.length }),
    patience,
  )
  for (let found = 1; found > 0; ) found = (await domain.push?.tick())?.found ?? 0

  const bob = await world.person('bob')
  const browser = service.subscribe()
  await subscribe(bob.userId, browser.token)
  await alice.send(bob, 'are you there?')
  await expect
    .poll(async () => {
      await domain.push?.tick()
      return browser.banners()
    }, patience)
    .toEqual(['Alice: are you there?'])
})
