import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createGroup, leave, updateMembers } from '../../kit/group-of.ts'
import type { Person } from '../../kit/person.ts'
import { startStockDevice } from '../../kit/stock-device.ts'
import { startWorld, type World } from '../../kit/world.ts'

// Clients as their libraries make them: each sends the same variables with every connection.

let world: World
beforeAll(async () => {
  world = await startWorld({ nodes: 3 })
})
afterAll(() => world.stop())

async function aliceAndBob(): Promise<{ alice: Person; bob: Person; chat: string; phone: () => Device }> {
  const [alice, bob] = [await world.person('alice'), await world.person('bob', { node: 1 })]
  return { alice, bob, chat: world.chatOf(alice, bob), phone: () => startStockDevice(bob, { deviceId: 'phone' }) }
}
type Device = ReturnType<typeof startStockDevice>

describe('a device that passes a deviceId', () => {
  it('gets what it has not acked, once, whatever another device acks meanwhile', async () => {
    const { alice, bob, chat, phone } = await aliceAndBob()
    const before = phone()
    await world.online(bob)
    for (const body of ['one', 'two']) await alice.send(bob, body)
    expect(await before.lines(2)).toEqual(['1 one', '2 two'])
    await before.ack(chat, 2)
    await before.stop()
    const tablet = startStockDevice(bob, { deviceId: 'tablet' })
    for (const body of ['three', 'four']) await alice.send(bob, body)
    expect(await tablet.lines(2)).toEqual(['3 three', '4 four'])
    await tablet.ack(chat, 4)
    await tablet.stop()

    const after = phone()
    expect(await after.receives(2)).toMatchObject([
      { seq: 3, previousSeq: 2, catchUp: true },
      { seq: 4, previousSeq: 3, catchUp: true },
    ])
    await alice.send(bob, 'five')
    expect(await after.lines(3)).toEqual(['3 three', '4 four', '5 five'])
    await after.stop()
  })

  it('gets again, over the same client, what it had not acked when its socket was cut', async () => {
    const { alice, bob, chat, phone } = await aliceAndBob()
    const device = phone()
    await world.online(bob)
    for (const body of ['one', 'two', 'three']) await alice.send(bob, body)
    await device.receives(3)
    await device.ack(chat, 2)
    await device.drop()
    await alice.send(bob, 'four')
    expect(await device.lines(5)).toEqual(['1 one', '2 two', '3 three', '3 three', '4 four'])
    await device.stop()
  })

  it('goes on at another node when its own ends, with neither a gap nor a repetition', async () => {
    const { alice, bob, chat } = await aliceAndBob()
    await world.startNode()
    const [own, other] = [world.nodes.length - 1, 0]
    let node = own
    const device = startStockDevice(bob, { deviceId: 'phone', url: () => world.url(node) })
    await world.online(bob)
    await alice.send(bob, 'one')
    await device.receives(1)
    await device.ack(chat, 1, world.url(2))
    node = other
    await world.nodes[own]?.stop()
    await world.redis.flush()
    for (const body of ['two', 'three']) await alice.send(bob, body)
    expect(await device.lines(3)).toEqual(['1 one', '2 two', '3 three'])
    await device.stop()
  })

  it('gets the whole of a chat that began while it was away, although another device was there first', async () => {
    const { alice, bob, phone } = await aliceAndBob()
    const before = phone()
    await world.online(bob)
    await before.stop()
    const carol = await world.person('carol')
    const tablet = startStockDevice(bob, { deviceId: 'tablet' })
    for (const body of ['one', 'two']) await carol.send(bob, body)
    await tablet.receives(2)
    await tablet.ack(world.chatOf(carol, bob), 2)
    await tablet.stop()
    const after = phone()
    expect(await after.lines(2)).toEqual(['1 one', '2 two'])
    await alice.send(bob, 'hi')
    await after.receives(3)
    await after.stop()
  })

  it('begins, the first time, where the other devices of its user are', async () => {
    const { alice, bob, chat, phone } = await aliceAndBob()
    for (const body of ['one', 'two']) await alice.send(bob, body)
    await bob.ack(chat, 1)
    const device = phone()
    expect(await device.lines(1)).toEqual(['2 two'])
    await bob.ack(chat, 2)
    await device.drop()
    expect(await device.lines(2)).toEqual(['2 two', '2 two'])
    await device.stop()
  })

  it('goes on after its user has left a group that its variables name, and sees the group again from their return on', async () => {
    const { alice, bob, chat } = await aliceAndBob()
    const { id } = await createGroup(alice, [bob])
    const { seq } = await alice.send({ conversationId: id }, 'in the group')
    await alice.send(bob, 'hi')
    const device = startStockDevice(bob, { deviceId: 'phone', after: [{ conversationId: id, seq }] })
    expect(await device.lines(1)).toEqual(['1 hi'])
    await device.ack(chat, 1)
    await updateMembers(alice, id, { remove: [bob] })
    await alice.send({ conversationId: id }, 'without bob')
    await device.drop()
    await alice.send(bob, 'are you there?')
    expect(await device.lines(2)).toEqual(['1 hi', '2 are you there?'])
    await device.ack(chat, 2)
    await updateMembers(alice, id, { add: [bob] })
    await device.drop()
    await alice.send({ conversationId: id }, 'welcome')
    await device.sees(({ body }) => body === 'welcome')
    expect(device.events.map(({ body }) => body)).toEqual(['hi', 'are you there?', 'welcome'])
    await leave(bob, id)
    await device.stop()
  })
})

describe('the changes of a device', () => {
  it('resume where it has acked changes, however far it has acked messages', async () => {
    const { alice, bob, chat } = await aliceAndBob()
    const changes = startStockDevice(bob, { deviceId: 'phone', stream: 'changes' })
    const messages = startStockDevice(bob, { deviceId: 'phone' })
    await world.online(bob)
    await alice.send(bob, 'one')
    await alice.edit(chat, 1, 'eins')
    await alice.edit(chat, 1, 'uno')
    await alice.send(bob, 'four')
    await changes.receives(2)
    await messages.receives(2)
    await changes.ack(chat, 2)
    await messages.ack(chat, 4)
    await changes.drop()
    await changes.receives(3)
    expect(changes.events.map(({ seq }) => seq)).toEqual([2, 3, 3])
    await messages.drop()
    await alice.send(bob, 'five')
    expect((await messages.receives(3)).map(({ seq }) => seq)).toEqual([1, 4, 5])
    await Promise.all([changes.stop(), messages.stop()])
  })

  it('and its acks of them skip no message', async () => {
    const { alice, bob, chat, phone } = await aliceAndBob()
    const before = phone()
    await world.online(bob)
    await alice.send(bob, 'one')
    await alice.edit(chat, 1, 'eins')
    await before.receives(1)
    await before.ack(chat, 2, world.url(2))
    await before.drop()
    expect((await before.receives(2)).map(({ seq }) => seq)).toEqual([1, 1])
    await before.stop()
  })
})

describe('a deviceId', () => {
  it.each(['', 'a b', 'x'.repeat(65), 'ä'])('that breaks the rule is refused: %j', async (deviceId) => {
    const { alice, bob, chat } = await aliceAndBob()
    await alice.send(bob, 'hi')
    const refused = { code: 'BAD_USER_INPUT', field: 'deviceId' }
    const device = bob.watch('subscription ($deviceId: ID) { messageAdded(deviceId: $deviceId) { cursor } }', {
      deviceId,
    })
    expect(await device.fails()).toMatchObject(refused)
    for (const name of ['ack', 'markRead'] as const) {
      const type = name === 'ack' ? 'AckInput' : 'MarkReadInput'
      const say = (conversationId: string) =>
        bob.ask(`mutation ($input: ${type}!) { ${name}(input: $input) { ticks { userId } } }`, {
          input: { conversationId, seq: 1, deviceId },
        })
      await expect(say(chat)).rejects.toMatchObject(refused)
      await expect(say('dm_x')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    }
  })
})
