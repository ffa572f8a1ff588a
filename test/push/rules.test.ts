import { describe, expect, it } from 'vitest'
import type { PushOutcome } from '../../src/ports/push.ts'
import type { ConversationId, UserId } from '../../src/protocol/ids.ts'
import { aClientMessageId, upTo } from '../kit/ids.ts'
import { pushWorld } from './kit.ts'

const [alice, bob, carol, dave] = ['alice', 'bob', 'carol', 'dave'] as [UserId, UserId, UserId, UserId]
const retry: PushOutcome = { type: 'retry', reason: 'away' }

describe('who is away', () => {
  it('is told once of what came while nobody looked: the newest', async () => {
    const world = pushWorld()
    await world.register(bob, 'bobs')
    await world.register(alice, 'alices')
    await world.domain.people.change(alice, { ownName: 'Alice A.' })
    for (const n of upTo(10)) await world.say(alice, bob, `message ${n}`)
    await world.workOff()
    expect(world.lines()).toEqual(['bobs Alice A.: message 10'])
    await world.workOff()
    expect(world.lines()).toHaveLength(1)
  })

  it('is told of each conversation, on every device', async () => {
    const world = pushWorld()
    await world.register(bob, 'phone')
    await world.register(bob, 'laptop')
    await world.say(alice, bob, 'one')
    await world.say(carol, bob, 'two')
    await world.workOff()
    expect(world.lines().sort()).toEqual([
      'laptop alice: one',
      'laptop carol: two',
      'phone alice: one',
      'phone carol: two',
    ])
  })

  it('is told the rest by the next banner, in place of the last', async () => {
    const world = pushWorld()
    await world.register(bob, 'bobs')
    const conversationId = await world.say(alice, bob, 'one')
    await world.workOff()
    await world.say(alice, bob, 'two')
    await world.workOff()
    expect(world.told.map(({ notification }) => notification)).toMatchObject([
      { conversationId, seq: 1, body: 'one' },
      { conversationId, seq: 2, body: 'two' },
    ])
  })

  it('is told nothing of the text where previews are off, and not all of a long one', async () => {
    const discreet = pushWorld({ preview: false })
    await discreet.register(bob, 'bobs')
    await discreet.say(alice, bob, 'secret')
    await discreet.say(alice, await discreet.group(alice, [bob]), 'secret too')
    await discreet.workOff()
    expect(discreet.lines().sort()).toEqual(['bobs Tea: New message', 'bobs alice: New message'])

    const world = pushWorld()
    await world.register(bob, 'bobs')
    await world.say(alice, bob, '🫖'.repeat(241))
    await world.workOff()
    expect(world.lines()).toEqual([`bobs alice: ${'🫖'.repeat(239)}…`])
  })

  it('gets nothing while attached, by whatever session, and nothing for what they say themselves', async () => {
    const world = pushWorld()
    await world.register(bob, 'bobs')
    await world.attach(bob)
    await world.say(alice, bob, 'one')
    await world.say(alice, await world.group(alice, [bob]), 'two')
    await world.say(bob, bob, 'a note')
    await world.workOff()
    await world.leave(bob)
    await world.say(bob, alice, 'three')
    await world.say(bob, bob, 'another')
    await world.workOff()
    expect(world.lines()).toEqual([])
  })

  it('who came back before the push is told by their session alone', async () => {
    const world = pushWorld()
    await world.register(bob, 'bobs')
    world.answer('bobs', () => retry)
    await world.say(alice, bob, 'one')
    await world.workOff()
    world.answer('bobs', undefined)
    await world.attach(bob)
    world.pass(60_000)
    await world.ports.sessions.renew([{ session: { userId: bob, connectionId: 'of bob' }, state: 'online' }])
    await world.workOff()
    expect(world.told).toHaveLength(1)
  })
})

describe('a stream that ends', () => {
  it('without having acked what it was sent is told by push; of what it acked, nothing', async () => {
    const world = pushWorld()
    await world.register(bob, 'bobs')
    const stream = await world.domain.follow({ userId: bob, after: [] })
    const [first, second] = [stream.next(), stream.next()]
    const id = await world.group(alice, [bob])
    const chat = await world.say(alice, bob, 'one')
    await first
    await world.domain.ack(await world.domain.access.member(bob, chat), 1)
    await world.say(alice, id, 'two')
    await second
    await world.workOff()
    expect(world.lines()).toEqual([])
    await stream.return?.()
    await world.workOff()
    expect(world.lines()).toEqual(['bobs Tea: alice: two'])
  })

  it('while another is here is not told of', async () => {
    const world = pushWorld()
    await world.register(bob, 'bobs')
    await world.attach(bob)
    const stream = await world.domain.follow({ userId: bob, after: [] })
    const first = stream.next()
    await world.say(alice, bob, 'one')
    await first
    await stream.return?.()
    await world.workOff()
    expect(world.lines()).toEqual([])
  })
})

describe('a group', () => {
  it('tells those who are away, by its name, one job for all of them', async () => {
    const world = pushWorld()
    for (const user of [alice, bob, carol, dave]) await world.register(user, `${user}s`)
    const id = await world.group(alice, [bob, carol, dave])
    await world.attach(carol)
    await world.say(alice, id, 'now?')
    expect(await world.queue.backlog()).toMatchObject({ jobs: 1 })
    await world.workOff()
    expect(world.lines().sort()).toEqual(['bobs Tea: alice: now?', 'daves Tea: alice: now?'])
  })

  it('tells each of the newest that is not their own, and asks once who is there', async () => {
    const world = pushWorld()
    for (const user of [alice, bob, carol]) await world.register(user, `${user}s`)
    const id = await world.group(alice, [bob, carol])
    await world.say(carol, id, 'one')
    await world.say(alice, id, 'two')
    await world.say(bob, id, 'three')
    const { presence } = world.ports.sessions
    let asked = 0
    world.ports.sessions.presence = (userIds) => {
      if (userIds.length > 1) asked += 1
      return presence(userIds)
    }
    await world.workOff()
    expect(world.lines().sort()).toEqual(['alices Tea: bob: three', 'bobs Tea: alice: two', 'carols Tea: bob: three'])
    expect(asked).toBe(1)
  })

  it('whose members cannot be found just now is tried again, and keeps nobody else waiting', async () => {
    const world = pushWorld()
    await world.register(bob, 'bobs')
    const id = await world.group(alice, [bob])
    await world.say(alice, id, 'one')
    await world.say(alice, bob, 'two')
    const { look } = world.ports.versions
    world.ports.versions.look = async () => {
      throw new Error('away')
    }
    await world.workOff()
    expect(world.lines()).toEqual(['bobs alice: two'])
    world.ports.versions.look = look
    world.pass(30_000)
    await world.workOff()
    expect(world.lines()).toEqual(['bobs alice: two', 'bobs Tea: alice: one'])
  })

  it('tells nobody of what was said before they came, or after they went', async () => {
    const world = pushWorld()
    for (const user of [bob, carol]) await world.register(user, `${user}s`)
    const id = await world.group(alice, [bob])
    await world.say(alice, id, 'before')
    const owner = await world.domain.access.member(alice, id)
    await world.domain.groups.updateMembers(owner, { add: [carol], remove: [bob], roles: [] })
    await world.workOff()
    expect(world.lines()).toEqual([])
    await world.say(alice, id, 'after')
    await world.workOff()
    expect(world.lines()).toEqual(['carols Tea: alice: after'])
  })

  it('tells of what somebody said who has left since', async () => {
    const world = pushWorld()
    await world.register(carol, 'carols')
    const id = await world.group(alice, [bob, carol])
    await world.say(bob, id, 'bye')
    await world.domain.groups.leave(await world.domain.access.member(bob, id))
    await world.workOff()
    expect(world.lines()).toEqual(['carols Tea: bob: bye'])
  })

  it('tells nobody of what somebody said whom they have blocked; what another said before is told', async () => {
    const world = pushWorld()
    for (const user of [bob, dave]) await world.register(user, `${user}s`)
    const id = await world.group(alice, [bob, carol, dave])
    await world.domain.setBlocked(bob, carol, true)
    await world.say(carol, id, 'boo')
    await world.workOff()
    expect(world.lines()).toEqual(['daves Tea: carol: boo'])
    await world.say(alice, id, 'hi')
    await world.say(carol, id, 'boo again')
    await world.workOff()
    expect(world.lines().slice(1).sort()).toEqual(['bobs Tea: alice: hi', 'daves Tea: carol: boo again'])
    await world.say(carol, id, 'and again')
    await world.workOff()
    expect(world.lines().filter((line) => line.startsWith('bobs'))).toEqual(['bobs Tea: alice: hi'])
  })
})

describe('nothing is told of', () => {
  it('a muted conversation, until the mute is over', async () => {
    const world = pushWorld()
    await world.register(bob, 'bobs')
    await world.say(alice, bob, 'one')
    const member = await world.domain.access.direct(bob, alice)
    await world.domain.settings.configure(member, { mutedUntilMs: world.now() + 60_000 })
    await world.workOff()
    expect(world.lines()).toEqual([])
    world.pass(60_000)
    await world.say(alice, bob, 'two')
    await world.workOff()
    expect(world.lines()).toEqual(['bobs alice: two'])
  })

  it('what was read meanwhile', async () => {
    const world = pushWorld()
    await world.register(bob, 'bobs')
    const chat = await world.say(alice, bob, 'one')
    await world.say(alice, bob, 'two')
    await world.read(bob, chat, 2)
    await world.workOff()
    expect(world.lines()).toEqual([])
  })

  it('what was deleted; the one before it is', async () => {
    const world = pushWorld()
    await world.register(bob, 'bobs')
    const chat = await world.say(alice, bob, 'one')
    await world.say(alice, bob, 'oops')
    await world.remove(alice, chat, 2)
    await world.workOff()
    expect(world.lines()).toEqual(['bobs alice: one'])
    const gone = await world.say(carol, bob, 'oops')
    await world.remove(carol, gone, 1)
    await world.workOff()
    expect(world.lines()).toHaveLength(1)
  })
})

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
    await ticked?.settled
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
    await ticked?.settled
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
    await ticked?.settled
    await world.workOff()
    expect(world.lines()).toEqual(['bobs alice: one', 'bobs alice: two'])
  })
})

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

describe('a device', () => {
  it('is told what its present owner is, whosever it was', async () => {
    const world = pushWorld()
    await world.register(bob, 'tablet')
    await world.register(carol, 'tablet')
    await world.say(alice, bob, 'for bob')
    await world.say(alice, carol, 'for carol')
    await world.workOff()
    expect(world.lines()).toEqual(['tablet alice: for carol'])
    expect(await world.devicesOf(bob)).toEqual([])
  })

  it('whose move was cut short is nobody else’s all the same', async () => {
    const world = pushWorld()
    await world.register(bob, 'tablet')
    const { put } = world.ports.devices
    world.ports.devices.put = async () => {
      throw new Error('cut')
    }
    await expect(world.register(carol, 'tablet')).rejects.toThrow('cut')
    world.ports.devices.put = put
    await world.say(alice, bob, 'for bob')
    await world.workOff()
    expect(world.lines()).toEqual([])
    expect(await world.devicesOf(bob)).toEqual([])
    await world.register(carol, 'tablet')
    await world.say(alice, carol, 'for carol')
    await world.workOff()
    expect(world.lines()).toEqual(['tablet alice: for carol'])
  })

  it('with another token has only that one; registering twice is once', async () => {
    const world = pushWorld()
    await world.register(bob, 'old', 'phone')
    await world.register(bob, 'new', 'phone')
    await world.register(bob, 'new', 'phone')
    await world.say(alice, bob, 'one')
    await world.workOff()
    expect(world.lines()).toEqual(['new alice: one'])
    expect(await world.ports.devices.ownersOf([{ platform: 'LOG', token: 'old' }])).toEqual([undefined])
  })

  it('that has another name has one row', async () => {
    const world = pushWorld()
    await world.register(bob, 'token', 'phone')
    await world.register(bob, 'token', 'phone-2')
    expect(await world.devicesOf(bob)).toEqual(['phone-2'])
  })

  it('too many makes the oldest go', async () => {
    const world = pushWorld()
    for (const n of upTo(22)) {
      world.pass(1)
      await world.register(bob, `token-${n}`)
    }
    const devices = await world.devicesOf(bob)
    expect(devices).toHaveLength(20)
    expect(devices).not.toContain('token-1')
    expect(devices).not.toContain('token-2')
  })

  it('that is unregistered is told nothing; one that is registered late is told within a minute', async () => {
    const world = pushWorld()
    await world.register(bob, 'bobs')
    await world.domain.devices.unregister(bob, 'bobs' as never)
    await world.domain.devices.unregister(bob, 'bobs' as never)
    await world.say(alice, bob, 'one')
    await world.workOff()
    expect(world.lines()).toEqual([])
    const elsewhere = world.startNode()
    await elsewhere.devices.register(bob, { deviceId: 'bobs' as never, platform: 'LOG', token: 'bobs' })
    world.pass(60_001)
    await world.say(alice, bob, 'two')
    await world.workOff()
    expect(world.lines()).toEqual(['bobs alice: two'])
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
