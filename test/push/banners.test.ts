import { describe, expect, it } from 'vitest'
import type { PushOutcome } from '../../src/ports/push.ts'
import type { UserId } from '../../src/protocol/ids.ts'
import { aClientMessageId } from '../kit/ids.ts'
import { pushWorld } from './kit.ts'

const [alice, bob] = ['alice', 'bob'] as [UserId, UserId]

describe('a banner', () => {
  it('is taken away by a read on another device, once, and only what was read', async () => {
    const world = pushWorld()
    await world.register(bob, 'bobs')
    const chat = await world.say(alice, bob, 'one')
    await world.say(alice, bob, 'two')
    await world.workOff()
    await world.read(bob, chat, 1)
    await world.workOff()
    expect(world.lines()).toEqual(['bobs alice: two'])
    await world.attach(bob)
    await world.read(bob, chat, 2)
    await world.workOff()
    await world.read(bob, chat, 2)
    await world.workOff()
    expect(world.lines()).toEqual(['bobs alice: two', 'bobs withdraws'])
    expect(world.told[1]?.notification).toEqual({ type: 'withdraw', conversationId: chat, seq: 2 })
  })

  it('is taken away by a reply', async () => {
    const world = pushWorld()
    await world.register(bob, 'bobs')
    const chat = await world.say(alice, bob, 'one')
    await world.workOff()
    await world.domain.ack(await world.domain.access.member(bob, chat), 1)
    await world.say(bob, alice, 'yes')
    await world.workOff()
    expect(world.lines()).toEqual(['bobs alice: one', 'bobs withdraws'])
  })

  it('is taken away when its message is deleted, whoever reads meanwhile; one that shows another message stays', async () => {
    const world = pushWorld()
    await world.register(bob, 'bobs')
    const chat = await world.say(alice, bob, 'one')
    await world.say(alice, bob, 'two')
    await world.workOff()
    const member = await world.domain.access.member(alice, chat)
    const remove = (seq: number) =>
      world.domain.change(member, { seq, clientMessageId: aClientMessageId(), alteration: { type: 'delete' } })
    await remove(1)
    await world.workOff()
    expect(world.lines()).toEqual(['bobs alice: two'])
    await remove(2)
    await world.workOff()
    expect(world.lines()).toEqual(['bobs alice: two', 'bobs withdraws'])
    expect(world.told[1]?.notification).toEqual({ type: 'withdraw', conversationId: chat, seq: 2 })
    expect(await world.queue.backlog()).toMatchObject({ jobs: 0, banners: 0 })
  })

  it('whose message is deleted while its push is on its way is taken away after it', async () => {
    const world = pushWorld()
    await world.register(bob, 'bobs')
    const chat = await world.say(alice, bob, 'one')
    let arrive: (outcome: PushOutcome) => void = () => undefined
    world.answer('bobs', () => new Promise((resolve) => (arrive = resolve)))
    const ticked = await world.domain.push?.tick()
    await expect.poll(() => world.told.length).toBe(1)
    const member = await world.domain.access.member(alice, chat)
    const alteration = { type: 'delete' } as const
    await world.domain.change(member, { seq: 1, clientMessageId: aClientMessageId(), alteration })
    world.answer('bobs', undefined)
    await world.workOff()
    arrive({ type: 'accepted' })
    await ticked?.finished
    await world.workOff()
    expect(world.lines()).toEqual(['bobs alice: one', 'bobs withdraws'])
  })

  it('that was never shown is not taken away', async () => {
    const world = pushWorld()
    await world.register(bob, 'bobs')
    await world.attach(bob)
    const chat = await world.say(alice, bob, 'one')
    await world.read(bob, chat, 1)
    await world.workOff()
    expect(world.told).toEqual([])
    expect(await world.queue.backlog()).toMatchObject({ jobs: 0, banners: 0 })
  })

  it('read while its push is on its way is taken away after it, not before', async () => {
    const world = pushWorld()
    await world.register(bob, 'bobs')
    const chat = await world.say(alice, bob, 'one')
    let arrive: (outcome: PushOutcome) => void = () => undefined
    world.answer('bobs', () => new Promise((resolve) => (arrive = resolve)))
    const ticked = await world.domain.push?.tick()
    await expect.poll(() => world.told.length).toBe(1)
    await world.read(bob, chat, 1)
    world.answer('bobs', undefined)
    await world.workOff()
    expect(world.lines()).toEqual(['bobs alice: one'])
    arrive({ type: 'accepted' })
    await ticked?.finished
    await world.workOff()
    expect(world.lines()).toEqual(['bobs alice: one', 'bobs withdraws'])
  })

  it('of a message that comes while a push is on its way follows it', async () => {
    const world = pushWorld()
    await world.register(bob, 'bobs')
    await world.say(alice, bob, 'one')
    let arrive: (outcome: PushOutcome) => void = () => undefined
    world.answer('bobs', () => new Promise((resolve) => (arrive = resolve)))
    const ticked = await world.domain.push?.tick()
    await expect.poll(() => world.told.length).toBe(1)
    world.answer('bobs', undefined)
    await world.say(alice, bob, 'two')
    await world.workOff()
    expect(world.told).toHaveLength(1)
    arrive({ type: 'accepted' })
    await ticked?.finished
    await world.workOff()
    expect(world.lines()).toEqual(['bobs alice: one', 'bobs alice: two'])
  })
})
