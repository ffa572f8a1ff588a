import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { ChatOptions } from '../../packages/client/src/index.ts'
import { memoryStorage } from '../../packages/client/src/index.ts'
import { type Device, startDevice } from '../kit/runtime.ts'
import { startProxy, type TcpProxy } from '../kit/services/proxy.ts'
import { startWorld, type World } from '../kit/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld({ nodes: 2 })
})
afterAll(() => world.stop())

async function deviceOf(userId: string, options: Partial<ChatOptions> & { node?: number } = {}): Promise<Device> {
  const { node = 0, ...rest } = options
  const device = startDevice(userId, `${world.url(node)}/graphql`, rest)
  onTestFinished(device.leave)
  await device.online()
  return device
}

/** A device behind a network that can be taken away. */
async function deviceBehindProxy(userId: string, options: Partial<ChatOptions> = {}): Promise<[Device, TcpProxy]> {
  const proxy = await startProxy(world.url())
  const device = startDevice(userId, `${proxy.url}/graphql`, options)
  onTestFinished(async () => {
    await device.leave()
    await proxy.stop()
  })
  await device.online()
  return [device, proxy]
}

const twoPeople = async () => [(await world.person('alice')).userId, (await world.person('bob')).userId] as const
const eventually = (assertion: () => void) => vi.waitFor(assertion, { timeout: 60_000, interval: 20 })

describe.each(['websocket', 'sse', 'polling'] as const)('over %s', (via) => {
  it('two people chat and see the ticks turn', async () => {
    const [alice, bob] = await twoPeople()
    const atAlice = await deviceOf(alice, { transports: [via], pollEveryMs: 100 })
    const atBob = await deviceOf(bob, { node: 1, transports: [via], pollEveryMs: 100 })
    expect(atAlice.connection.get().via).toBe(via)
    atAlice.look({ userId: bob })

    atAlice.send({ userId: bob }, 'hi')
    expect(atAlice.sees({ userId: bob })).toEqual(['hi waiting'])
    await eventually(() => expect(atBob.told).toEqual(['1 hi']))
    await eventually(() => expect(atAlice.sees({ userId: bob })).toEqual(['hi DELIVERED']))

    const [conversation] = atBob.conversations.get().conversations
    expect(conversation?.unreadCount).toBe(1)
    atBob.look({ userId: alice })
    atBob.markRead(conversation?.id ?? '', 1)
    expect(atBob.conversations.get().conversations[0]?.unreadCount).toBe(0)
    await eventually(() => expect(atAlice.sees({ userId: bob })).toEqual(['hi READ']))

    atBob.send({ conversationId: conversation?.id ?? '' }, 'hello')
    await eventually(() => expect(atAlice.told).toEqual(['1 hi', '2 hello']))
    await eventually(() => expect(atBob.sees({ userId: alice })).toEqual(['hi', 'hello DELIVERED']))
  })
})

describe('without a network', () => {
  it('what is written waits, and arrives once and in order', async () => {
    const [alice, bob] = await twoPeople()
    const [atAlice, proxy] = await deviceBehindProxy(alice)
    const atBob = await deviceOf(bob, { node: 1 })
    atAlice.look({ userId: bob })
    proxy.refuse()
    const bodies = Array.from({ length: 10 }, (_, i) => `m${i + 1}`)
    for (const body of bodies) atAlice.send({ userId: bob }, body)
    await eventually(() => expect(atAlice.connection.get().state).toBe('offline'))
    expect(atAlice.sees({ userId: bob })).toEqual(bodies.map((body) => `${body} waiting`))
    proxy.pass()
    atAlice.reconnect()
    await eventually(() => expect(atBob.told).toEqual(bodies.map((body, i) => `${i + 1} ${body}`)))
    await eventually(() => expect(atAlice.sees({ userId: bob })).toEqual(bodies.map((body) => `${body} DELIVERED`)))
  })

  it('what was written outlives the device', async () => {
    const [alice, bob] = await twoPeople()
    const storage = memoryStorage()
    const [first, proxy] = await deviceBehindProxy(alice, { storage })
    proxy.refuse()
    first.send({ userId: bob }, 'one')
    first.send({ userId: bob }, 'two')
    await first.leave()
    const second = await deviceOf(alice, { storage })
    const atBob = await deviceOf(bob)
    await eventually(() => expect(atBob.told).toEqual(['1 one', '2 two']))
    await eventually(() => expect(second.outbox.get()).toEqual([]))
  })

  it('what came just before the device was closed is acked when it is back', async () => {
    const [alice, bob] = await twoPeople()
    const storage = memoryStorage()
    const atAlice = await deviceOf(alice)
    atAlice.look({ userId: bob })
    const first = await deviceOf(bob, { storage })
    const closed = new Promise<void>((resolve) => first.chat.onMessage(() => void first.leave().then(resolve)))
    atAlice.send({ userId: bob }, 'hi')
    await closed
    const second = await deviceOf(bob, { storage })
    await eventually(() => expect(atAlice.sees({ userId: bob })).toEqual(['hi DELIVERED']))
    expect([first.told, second.told]).toEqual([['1 hi'], []])
  })

  it('what the others wrote comes when it is back, also what another device has acked', async () => {
    const [alice, bob] = await twoPeople()
    const atAlice = await deviceOf(alice)
    const [phone, proxy] = await deviceBehindProxy(bob)
    const laptop = await deviceOf(bob, { node: 1 })
    atAlice.send({ userId: bob }, 'before')
    await eventually(() => expect(phone.told).toEqual(['1 before']))
    proxy.refuse()
    const stranger = await world.person('carol')
    await stranger.send({ userId: bob }, 'from carol')
    for (let i = 1; i <= 150; i += 1) atAlice.send({ userId: bob }, `m${i}`)
    await eventually(() => expect(laptop.told).toHaveLength(152))
    await eventually(() => expect(atAlice.chat.ticks({ userId: bob }).get().tickOf(151)).toBe('DELIVERED'))
    proxy.pass()
    phone.reconnect()
    await eventually(() => expect(phone.told).toHaveLength(152))
    expect(phone.told).toContain('1 from carol')
    expect(phone.told.filter((line) => !line.endsWith('carol'))).toEqual([
      '1 before',
      ...Array.from({ length: 150 }, (_, i) => `${i + 2} m${i + 1}`),
    ])
  })
})

describe('a message that is changed', () => {
  it('is seen live as it is now, and after being away', async () => {
    const [alice, bob] = await twoPeople()
    const atAlice = await deviceOf(alice)
    const [atBob, proxy] = await deviceBehindProxy(bob)
    atBob.look({ userId: alice })
    for (const body of ['one', 'two', 'three']) atAlice.send({ userId: bob }, body)
    await eventually(() => expect(atBob.sees({ userId: alice })).toEqual(['one', 'two', 'three']))
    const chat = atBob.conversations.get().conversations[0]?.id ?? ''
    await atAlice.edit(chat, 1, 'eins')
    await eventually(() => expect(atBob.sees({ userId: alice })).toEqual(['eins', 'two', 'three']))

    proxy.refuse()
    await eventually(() => expect(atBob.connection.get().state).not.toBe('online'))
    await atAlice.edit(chat, 3, 'drei')
    await atAlice.remove(chat, 2)
    await atAlice.react(chat, 1, '🎉', true)
    proxy.pass()
    atBob.reconnect()
    await eventually(() => expect(atBob.sees({ userId: alice })).toEqual(['eins', '', 'drei']))
    const reactions = () => {
      const [first] = atBob.messages({ userId: alice }).get().entries
      return first?.type === 'message' && first.message.reactions
    }
    // It was the last of the three, and may come after the others.
    await eventually(() => expect(reactions()).toEqual([{ emoji: '🎉', count: 1, viewerReacted: false }]))
    await expect(atBob.edit(chat, 1, 'mine')).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })
})

it('who is writing is seen while they do, and no longer once they have sent', async () => {
  const [alice, bob] = await twoPeople()
  const atAlice = await deviceOf(alice)
  const atBob = await deviceOf(bob, { node: 1 })
  atAlice.send({ userId: bob }, 'hi')
  await eventually(() => expect(atBob.told).toEqual(['1 hi']))
  const typing = atBob.typing({ userId: alice })
  onTestFinished(typing.subscribe(() => undefined))
  await vi.waitFor(
    () => {
      atAlice.setTyping({ userId: bob }, true)
      expect(typing.get()).toEqual([alice])
    },
    { timeout: 20_000, interval: 100 },
  )
  atAlice.send({ userId: bob }, 'there')
  await eventually(() => expect(typing.get()).toEqual([]))
})
