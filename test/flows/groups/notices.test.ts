import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createGroup, leave, updateMembers } from '../../kit/group-of.ts'
import type { Person } from '../../kit/person.ts'
import { startWorld, type World } from '../../kit/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld({ nodes: 2 })
})
afterAll(() => world.stop())

type Event = {
  messageAdded: {
    previousSeq: number
    catchUp: boolean
    cursor: string
    message: {
      seq: number
      body: string
      kind: string
      tick: string
      sender: { id: string }
      notice: { kind: string; users: { id: string; name: string | null }[]; title: string | null } | null
    }
  }
}

const subscription = `subscription ($conversationId: ID, $after: [PositionInput!], $notices: Boolean) {
  messageAdded(conversationId: $conversationId, after: $after, notices: $notices) {
    previousSeq
    catchUp
    cursor
    message { seq body kind tick sender { id } notice { kind users { id name } title } }
  }
}`

const follow = (person: Person, variables: object = {}) =>
  person.watch<Event>(subscription, { notices: true, ...variables })

const nameOf = (id: string): string => id.split('-')[0] ?? ''

/** `2>3 alice MEMBERS_ADDED bob`, or `3>4 hi`: the seq before it, its own, and what it says. */
function line({ messageAdded: { previousSeq, message } }: Event): string {
  const { seq, body, sender, notice } = message
  if (!notice) return `${previousSeq}>${seq} ${body}`
  const users = notice.users.map(({ id }) => nameOf(id))
  return [
    `${previousSeq}>${seq}`,
    nameOf(sender.id),
    notice.kind,
    ...users,
    ...(notice.title ? [notice.title] : []),
  ].join(' ')
}

async function groupOfTwo() {
  const [alice, bob, carol] = [
    await world.person('alice', { displayName: 'Alice' }),
    await world.person('bob', { node: 1 }),
    await world.person('carol', { node: 1 }),
  ]
  const { id } = await createGroup(alice, [bob])
  const say = (body: string, from = alice) => from.send({ conversationId: id }, body)
  return { alice, bob, carol, id, say }
}

describe('a stream with notices', () => {
  it('shows each change of the group once, in its place among messages, what was missed as what is live', async () => {
    const { alice, bob, carol, id, say } = await groupOfTwo()
    await say('hi')
    const atBob = follow(bob)
    await atBob.receives(2)
    await world.online(bob)
    await updateMembers(alice, id, { add: [carol] })
    await say('welcome')
    await alice.updateConversation(id, { title: 'Coffee' })
    await updateMembers(alice, id, { roles: [[bob, 'ADMIN']] })
    await leave(carol, id)
    await say('bye')
    expect((await atBob.receives(8)).map(line)).toEqual([
      '0>1 alice CREATED bob Tea',
      '1>2 hi',
      '2>3 alice MEMBERS_ADDED carol',
      '3>4 welcome',
      '4>5 alice TITLE_CHANGED Coffee',
      '5>6 alice ROLES_CHANGED bob',
      '6>7 carol MEMBER_LEFT carol',
      '7>8 bye',
    ])
    expect(atBob.events.map((each) => each.messageAdded.catchUp)).toEqual([true, true, ...Array(6).fill(false)])
    expect(atBob.events[2]?.messageAdded.message).toMatchObject({ kind: 'NOTICE', body: '', tick: 'SENT' })
    await atBob.stop()
  })

  it('names somebody who left only to those who still know them, also where both watch the same', async () => {
    const { alice, bob, carol, id, say } = await groupOfTwo()
    const dave = await world.person('dave', { node: 1, displayName: 'Dave' })
    await updateMembers(alice, id, { add: [carol, dave] })
    await bob.send(dave, 'we know each other')
    const positions = [{ conversationId: id, seq: 2 }]
    const streams = [bob, carol].map((person) => follow(person, { conversationId: id, after: positions }))
    await Promise.all([world.online(bob), world.online(carol)])
    await leave(dave, id)
    await say('bye')
    const [atBob, atCarol] = await Promise.all(streams.map((each) => each.receives(2)))
    const left = (events: Event[] | undefined) => events?.[0]?.messageAdded.message.notice?.users
    expect(left(atBob)).toEqual([{ id: dave.userId, name: 'Dave' }])
    expect(left(atCarol)).toEqual([{ id: dave.userId, name: null }])
    await Promise.all(streams.map((each) => each.stop()))
  })

  it('resumes after any of them, with nothing missing and nothing twice', async () => {
    const { alice, bob, id, say } = await groupOfTwo()
    await say('hi')
    await alice.updateConversation(id, { title: 'Coffee' })
    await say('ho')
    await alice.updateConversation(id, { title: 'Milk' })
    const all = [
      '0>1 alice CREATED bob Tea',
      '1>2 hi',
      '2>3 alice TITLE_CHANGED Coffee',
      '3>4 ho',
      '4>5 alice TITLE_CHANGED Milk',
    ]
    for (const held of [0, 1, 2, 3, 4, 5]) {
      const atBob = follow(bob, { after: [{ conversationId: id, seq: held }] })
      await world.online(bob)
      // What comes last shows that nothing else came before it.
      await alice.send(bob, 'the end')
      const events = await atBob.receives(5 - held + 1)
      expect(events.map(line).slice(0, -1)).toEqual(all.slice(held))
      await bob.ack(world.chatOf(alice, bob), held + 1)
      await atBob.stop()
      await world.offline(bob)
    }
  })

  it('begins above what was acked, be it a notice, and says what came before', async () => {
    const { alice, bob, id, say } = await groupOfTwo()
    await say('hi')
    await alice.updateConversation(id, { title: 'Coffee' })
    await bob.ack(id, 3)
    const atBob = follow(bob)
    await world.online(bob)
    await say('ho')
    expect((await atBob.receives(1)).map(line)).toEqual(['3>4 ho'])
    await atBob.stop()
    await world.offline(bob)
    // Without notices, it is the message before that counts.
    const plain = follow(bob, { notices: false })
    expect((await plain.receives(1)).map(line)).toEqual(['2>4 ho'])
    await plain.stop()
  })

  it('shows somebody who is added that they were, and then what is said', async () => {
    const { alice, carol, id, say } = await groupOfTwo()
    await say('before')
    const [all, plain] = [follow(carol), follow(carol, { notices: false })]
    await world.online(carol)
    await updateMembers(alice, id, { add: [carol] })
    await say('welcome')
    expect((await all.receives(2)).map(line)).toEqual(['0>3 alice MEMBERS_ADDED carol', '3>4 welcome'])
    expect((await plain.receives(1)).map(line)).toEqual(['0>4 welcome'])
    const [only] = [follow(carol, { conversationId: id })]
    expect((await only.receives(2)).map(line)).toEqual(['0>3 alice MEMBERS_ADDED carol', '3>4 welcome'])
    await Promise.all([all, plain, only].map((each) => each.stop()))
  })

  it('shows somebody who is removed neither that nor anything after it, and their return as a beginning', async () => {
    const { alice, bob, id, say } = await groupOfTwo()
    const [all, only] = [follow(bob), follow(bob, { conversationId: id })]
    await all.receives(1)
    await only.receives(1)
    await world.online(bob)
    await updateMembers(alice, id, { remove: [bob] })
    await expect(only.fails()).resolves.toMatchObject({ code: 'NOT_FOUND' })
    await say('about bob')
    await updateMembers(alice, id, { add: [bob] })
    await say('welcome back')
    expect((await all.receives(3)).map(line)).toEqual([
      '0>1 alice CREATED bob Tea',
      '1>4 alice MEMBERS_ADDED bob',
      '4>5 welcome back',
    ])
    await all.stop()
  })

  it('is the same for all who watch, and shows the names of people', async () => {
    const { alice, bob, carol, id } = await groupOfTwo()
    await updateMembers(alice, id, { add: [carol] })
    const after = [{ conversationId: id, seq: 2 }]
    const streams = [
      follow(bob, { after }),
      follow(carol, { after }),
      follow(alice, { after }),
      follow(alice, { after }),
    ]
    await Promise.all([alice, bob, carol].map(world.online))
    await bob.ask('mutation { updateProfile(input: { name: "Bob" }) { user { id } } }')
    await updateMembers(alice, id, { roles: [[bob, 'ADMIN']] })
    const seen = await Promise.all(streams.map(async (each) => (await each.receives(1))[0]))
    for (const each of seen) expect(each).toEqual(seen[0])
    expect(seen[0]?.messageAdded.message.notice?.users).toEqual([{ id: bob.userId, name: 'Bob' }])
    await Promise.all(streams.map((each) => each.stop()))
  })
})
