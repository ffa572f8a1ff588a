import { expect, it } from 'vitest'
import type { Ports } from '../../../src/ports/ports.ts'
import { unavailable } from '../../../src/protocol/errors.ts'
import { aClientMessageId, aUser } from '../../kit/ids.ts'
import { memoryDomain, nextTurn } from '../../kit/memory-domain.ts'

// An idle stream is not woken for its periodic resync. These are the things that must wake it although no event came.

/** Silent events reach nobody. */
const silent = { publishEntry: async () => ({ absent: [], overtaken: [] }), publishGroupEntry: async () => undefined }

/** Bob follows all his messages, and has nothing to do. `faults` replaces ports while it is set. */
async function anIdleWorld() {
  const asked: string[] = []
  const faults: { [Port in keyof Ports]?: Partial<Ports[Port]> } = {}
  const { domain, ports } = memoryDomain((plain) => {
    const { clock: _clock, ...stores } = plain
    return Object.fromEntries(
      Object.entries(stores).map(([name, port]) => [
        name,
        new Proxy(port, {
          get(target, key) {
            const fault: unknown = Reflect.get(faults[name as keyof Ports] ?? {}, key)
            return (...args: unknown[]) => {
              asked.push(`${name}.${String(key)}`)
              return Reflect.apply((fault ?? Reflect.get(target, key)) as () => unknown, target, args)
            }
          },
        }),
      ]),
    )
  })
  const [alice, bob] = [aUser(), aUser()]
  const say = (body: string, to = bob) => domain.sendTo(alice, to, { clientMessageId: aClientMessageId(), body })
  await say('hi')
  const stream = await domain.follow({ userId: bob, after: [] })
  const shown: string[] = []
  const reading = (async () => {
    for await (const { row } of stream) shown.push(row.kind === 'message' ? row.body : row.kind)
  })()
  await nextTurn()

  /** Lets each stream have so many periodic resyncs. Returns what the last of them asked for. */
  async function resyncs(count: number): Promise<string[]> {
    for (let i = 0; i < 30 * count; i += 1) {
      if (i % 30 === 0) asked.length = 0
      await domain.resyncScheduler.tick()
      await nextTurn()
    }
    // What may be under way is waited for, and then read.
    for (let i = 0; i < 5; i += 1) await nextTurn()
    return [...new Set(asked.filter((call) => !call.startsWith('session')))].sort()
  }

  /** Becomes idle: from here on, a periodic resync asks for stamps and counters alone. */
  async function becomeIdle(): Promise<void> {
    await resyncs(3)
    expect(await resyncs(1)).toEqual(['indexStamps.look', 'sequencer.counters'])
  }

  return {
    domain,
    ports,
    faults,
    alice,
    bob,
    say,
    shown,
    resyncs,
    becomeIdle,
    async stop() {
      await stream.return?.()
      await reading
    },
  }
}

type World = Awaited<ReturnType<typeof anIdleWorld>>

const dies = async (): Promise<never> => {
  throw unavailable(new Error('The node died.'))
}

it('an idle stream costs two batches, and a message that is heard changes nothing in that', async () => {
  const world = await anIdleWorld()
  await world.becomeIdle()
  await world.say('again')
  expect(await world.resyncs(1)).toEqual(['indexStamps.look', 'sequencer.counters'])
  expect(world.shown).toEqual(['hi', 'again'])
  await world.stop()
})

it.each<[string, (world: World) => Promise<unknown>, string]>([
  [
    'a message whose event was lost',
    async ({ faults, say }) => {
      faults.events = { publishEntry: silent.publishEntry }
      await say('lost')
    },
    'lost',
  ],
  [
    'a message that was stored by a node that died before it published it',
    async ({ faults, say }) => {
      faults.events = { publishEntry: dies }
      await say('stored').catch(() => undefined)
    },
    'stored',
  ],
  [
    'the first message of a chat, if its events were lost',
    async ({ faults, domain, bob }) => {
      faults.events = { publishEntry: silent.publishEntry }
      await domain.sendTo(aUser(), bob, { clientMessageId: aClientMessageId(), body: 'first' })
    },
    'first',
  ],
  [
    'the first message of a chat, if its node died when the chat was made',
    async ({ faults, domain, bob }) => {
      faults.events = { publishEntry: dies }
      await domain.sendTo(aUser(), bob, { clientMessageId: aClientMessageId(), body: 'first' }).catch(() => undefined)
    },
    'first',
  ],
  [
    'what is said in a group to which the user was added, if the events were lost',
    async ({ faults, domain, alice, bob }) => {
      faults.events = { ...silent, publishMembership: async () => undefined }
      const member = await domain.groups.create(alice, {
        clientGroupId: aClientMessageId(),
        title: 'Us',
        memberIds: [bob],
      })
      await domain.send(member, { clientMessageId: aClientMessageId(), body: 'welcome' })
    },
    'welcome',
  ],
])('an idle stream shows %s', async (_what, act, body) => {
  const world = await anIdleWorld()
  await world.becomeIdle()
  await act(world)
  delete world.faults.events
  expect(world.shown).toEqual(['hi'])
  await world.resyncs(1)
  expect(world.shown).toEqual(['hi', body])
  await world.stop()
})

it('a row of the index that is written a while after its stamp, by a node that then dies, is found by the next resync', async () => {
  const world = await anIdleWorld()
  await world.becomeIdle()
  const { domain, ports, bob, faults } = world
  const create = ports.conversations.create
  let writeLate: () => Promise<void> = dies
  faults.conversations = {
    create: (conversation) => {
      writeLate = () => create(conversation)
      return dies()
    },
  }
  await domain.sendTo(aUser(), bob, { clientMessageId: aClientMessageId(), body: 'slow' }).catch(() => undefined)
  // The stream sees the new stamp, looks, and finds nothing yet.
  await world.resyncs(1)
  await writeLate()
  expect(world.shown).toEqual(['hi'])
  await world.resyncs(1)
  expect(world.shown).toEqual(['hi', 'slow'])
  await world.stop()
})

it('streams look by themselves where the stamps cannot be asked for', async () => {
  const world = await anIdleWorld()
  await world.becomeIdle()
  world.faults.events = { publishEntry: silent.publishEntry }
  await world.say('lost')
  world.faults.indexStamps = { look: dies }
  await expect(world.resyncs(1)).rejects.toThrow()
  await world.domain.resyncScheduler.tick()
  for (let i = 0; i < 5; i += 1) await nextTurn()
  expect(world.shown).toEqual(['hi', 'lost'])
  await world.stop()
})

it('an idle stream is in a group to which the user was added by a node that died before it said so', async () => {
  const world = await anIdleWorld()
  const { domain, ports, alice, bob } = world
  const founded = { clientGroupId: aClientMessageId(), title: 'Us', memberIds: [aUser()] }
  const { id } = (await domain.groups.create(alice, founded)).conversation
  await world.becomeIdle()
  const other = memoryDomain(() => ({ ...ports, versions: { ...ports.versions, raise: dies } }), {
    nextMessageId: () => '9001' as never,
    randomId: () => 'another',
  }).domain
  const member = await other.access.member(alice, id)
  await expect(other.groups.updateMembers(member, { add: [bob], remove: [], roles: [] })).rejects.toThrow()
  await world.resyncs(5)
  await ports.sessionLeases.begin('a lease that follows', 'the lease of the dead')
  await world.resyncs(2)
  await domain.send(await domain.access.member(alice, id), { clientMessageId: aClientMessageId(), body: 'welcome' })
  await world.resyncs(1)
  expect(world.shown).toEqual(['hi', 'welcome'])
  await world.stop()
})
