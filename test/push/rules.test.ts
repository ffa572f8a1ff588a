import { describe, expect, it } from 'vitest'
import type { PushOutcome } from '../../src/ports/push.ts'
import type { UserId } from '../../src/protocol/ids.ts'
import { upTo } from '../kit/ids.ts'
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

  it('is told nothing of a notice, nor by it of what was delivered before', async () => {
    const world = pushWorld()
    await world.register(bob, 'bobs')
    const group = await world.group(alice, [bob])
    const { access, follow, ack, groups } = world.domain
    const stream = await follow({ userId: bob, after: [], notices: true })
    await stream.next()
    await world.say(alice, group, 'hi')
    await stream.next()
    await ack(await access.member(bob, group), 2)
    await world.workOff()
    await groups.rename(await access.member(alice, group), 'Coffee')
    expect((await stream.next()).value).toMatchObject({ row: { seq: 3, notice: { title: 'Coffee' } } })
    await stream.return?.()
    await world.workOff()
    expect(world.lines()).toEqual([])
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
