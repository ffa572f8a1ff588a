import { describe, expect, it } from 'vitest'
import type { PushOutcome } from '../../src/ports/push.ts'
import type { ConversationId, UserId } from '../../src/protocol/ids.ts'
import { upTo } from '../kit/ids.ts'
import { pushWorld } from './kit.ts'

const [alice, bob, carol, dave] = ['alice', 'bob', 'carol', 'dave'] as [UserId, UserId, UserId, UserId]
const retry: PushOutcome = { type: 'retry', reason: 'away' }

describe('a push that fails', () => {
  it('is tried again later, with the newest text, only on the device that missed it', async () => {
    const world = pushWorld()
    await world.register(bob, 'phone@a')
    await world.register(bob, 'laptop@b')
    world.answer('laptop@b', () => retry)
    await world.say(alice, bob, 'one')
    await world.workOff()
    expect(world.lines().sort()).toEqual(['laptop@b alice: one', 'phone@a alice: one'])
    world.answer('laptop@b', undefined)
    world.pass(1000)
    await world.workOff()
    expect(world.lines().slice(2)).toEqual(['laptop@b alice: one'])
  })

  it('waits longer each time, and as long as it is told to', async () => {
    const world = pushWorld()
    await world.register(bob, 'bobs')
    world.answer('bobs', () => retry)
    await world.say(alice, bob, 'one')
    await world.workOff()
    for (const [i, ms] of [1000, 2000, 4000].entries()) {
      world.pass(ms - 1)
      await world.workOff()
      expect(world.told).toHaveLength(i + 1)
      world.pass(1)
      await world.workOff()
      expect(world.told).toHaveLength(i + 2)
    }
    world.answer('bobs', () => ({ ...retry, afterMs: 600_000 }) as PushOutcome)
    world.pass(8000)
    await world.workOff()
    expect(world.told).toHaveLength(5)
    world.pass(599_999)
    await world.workOff()
    expect(world.told).toHaveLength(5)
    world.pass(1)
    await world.workOff()
    expect(world.told).toHaveLength(6)
  })

  it('is given up after an hour, and counted', async () => {
    const world = pushWorld()
    await world.register(bob, 'bobs')
    world.answer('bobs', () => retry)
    await world.say(alice, bob, 'one')
    await world.workOff()
    world.answer('bobs', undefined)
    world.pass(3_600_001)
    await world.workOff()
    expect(world.told).toHaveLength(1)
    expect(world.counts).toContain('dead expired')
    expect(await world.queue.backlog()).toMatchObject({ jobs: 0, banners: 0 })
  })

  it('of a device that is gone removes it, and one that is refused is not repeated', async () => {
    const world = pushWorld()
    await world.register(bob, 'phone')
    await world.register(bob, 'laptop')
    world.answer('phone', () => ({ type: 'unregistered' }))
    world.answer('laptop', () => ({ type: 'rejected', reason: 'too large' }))
    await world.say(alice, bob, 'one')
    await world.workOff()
    world.pass(600_000)
    await world.workOff()
    expect(world.told).toHaveLength(2)
    expect(await world.devicesOf(bob)).toEqual(['laptop'])
    expect(world.counts.filter((each) => !each.startsWith('queued')).sort()).toEqual([
      'dead rejected',
      'sent LOG rejected',
      'sent LOG unregistered',
    ])
  })

  it('rests its service and no other', async () => {
    const world = pushWorld()
    const people = upTo(30).map((n) => `user-${n}` as UserId)
    for (const user of people) {
      await world.register(user, `${user}@down`)
      world.answer(`${user}@down`, () => retry)
    }
    await world.register(bob, 'bobs@up')
    for (const user of people) await world.say(alice, user, 'one')
    await world.workOff()
    const tried = world.told.length
    expect(tried).toBeLessThanOrEqual(16)
    await world.say(alice, bob, 'one')
    await world.workOff()
    expect(world.lines().slice(tried)).toEqual(['bobs@up alice: one'])
    for (const user of people) world.answer(`${user}@down`, undefined)
    for (const _ of upTo(10)) {
      world.pass(2000)
      await world.workOff()
    }
    for (const user of people) expect(world.lines()).toContain(`${user}@down alice: one`)
    expect(world.counts.filter((each) => each === 'sent LOG accepted')).toHaveLength(people.length + 1)
  })

  it('keeps others from its service until it has rested; what was not even tried is not withdrawn', async () => {
    const world = pushWorld()
    await world.register(bob, 'bobs@down')
    await world.register(carol, 'carols@down')
    await world.register(dave, 'daves@down')
    world.answer('bobs@down', () => retry)
    await world.say(alice, bob, 'one')
    await world.workOff()
    await world.say(alice, carol, 'two')
    const chat = await world.say(alice, dave, 'three')
    await world.workOff()
    expect(world.lines()).toEqual(['bobs@down alice: one'])
    await world.read(dave, chat, 1)
    world.answer('bobs@down', undefined)
    world.pass(1000)
    await world.workOff()
    expect(world.lines().slice(1).sort()).toEqual(['bobs@down alice: one', 'carols@down alice: two'])
  })

  it('with the worker that had begun it is another’s when its lease ends', async () => {
    const world = pushWorld()
    await world.register(bob, 'bobs')
    world.answer('bobs', () => new Promise(() => undefined))
    await world.say(alice, bob, 'one')
    await world.domain.push?.tick()
    await expect.poll(() => world.told.length).toBe(1)
    world.answer('bobs', undefined)
    const other = world.startNode()
    expect(await world.work(other)).toBe(0)
    world.pass(60_000)
    expect(await world.work(other)).toBe(1)
    expect(world.lines()).toEqual(['bobs alice: one', 'bobs alice: one'])
  })
})

describe('the budget', () => {
  it('lets twenty through a minute; the rest comes after, collapsed', async () => {
    const world = pushWorld()
    await world.register(bob, 'bobs')
    const senders = upTo(30).map((n) => `sender-${n}` as UserId)
    for (const sender of senders) {
      await world.say(sender, bob, 'one')
      await world.workOff()
    }
    expect(world.told).toHaveLength(20)
    for (const sender of senders.slice(20)) await world.say(sender, bob, 'two')
    await world.workOff()
    expect(world.told).toHaveLength(20)
    world.pass(60_000)
    await world.workOff()
    expect(world.lines().slice(20).sort()).toEqual(
      senders
        .slice(20)
        .map((sender) => `bobs ${sender}: two`)
        .sort(),
    )
  })
})
it('a queue that is away is no send’s business, and is counted', async () => {
  const world = pushWorld()
  world.queue.add = async () => {
    throw new Error('away')
  }
  await world.register(bob, 'bobs')
  await world.say(alice, bob, 'one')
  await world.workOff()
  expect(world.counts).toEqual(['queued failed', 'failed Error: away'])
})

it('a job of a conversation that is nowhere is done with', async () => {
  const world = pushWorld()
  await world.queue.add({ conversationId: 'grp_nowhere' as ConversationId, seq: 1, senderId: alice, atMs: world.now() })
  await world.workOff()
  expect(await world.queue.backlog()).toMatchObject({ jobs: 0, banners: 0 })
})
