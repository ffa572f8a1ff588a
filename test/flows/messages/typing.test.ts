import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Access, Member } from '../../../src/domain/conversations/access.ts'
import { nullObserver } from '../../../src/domain/observer.ts'
import { createTyping } from '../../../src/domain/people/typing.ts'
import { createResyncScheduler } from '../../../src/domain/streams/resync-scheduler.ts'
import { createSubscribeUser } from '../../../src/domain/streams/user-subscription.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import type { Typing } from '../../../src/ports/events.ts'
import type { ConversationId } from '../../../src/protocol/ids.ts'
import { createEventsMemory } from '../../../src/store/embedded/soft-state/events.ts'
import { createMemoryRedis } from '../../../src/store/embedded/soft-state/memory-redis.ts'
import { createSoftStateMemory } from '../../../src/store/embedded/soft-state/soft-state.ts'
import type { Person } from '../../kit/person.ts'
import { startWorld, type World } from '../../kit/world.ts'

describe('over two nodes', () => {
  let world: World
  beforeAll(async () => {
    world = await startWorld({ nodes: 2 })
  })
  afterAll(() => world.stop())

  async function chatOf(): Promise<[Person, Person, string]> {
    const [alice, bob] = [await world.person('alice'), await world.person('bob', { node: 1 })]
    await alice.send(bob, 'hi')
    return [alice, bob, world.chatOf(alice, bob)]
  }

  it('the other sees who starts and stops, and a message ends it', async () => {
    const [alice, bob, chat] = await chatOf()
    const atBob = bob.followTyping(chat)
    const says = async (typing: boolean, count: number) => {
      // This is said again until it is heard: the client does not know when the subscription stands.
      await vi.waitFor(
        async () => {
          await alice.setTyping(chat, !typing)
          await alice.setTyping(chat, typing)
          if (atBob.events.length < count) throw new Error('not heard yet')
        },
        { timeout: 10_000 },
      )
    }
    await says(true, 1)
    expect(atBob.events[0]).toEqual({ userId: alice.userId, typing: true })
    await alice.send(bob, 'there')
    expect(await atBob.sees(({ typing }) => !typing)).toEqual({ userId: alice.userId, typing: false })
    await atBob.stop()
  })

  it('a stranger may neither tell nor watch', async () => {
    const [, , chat] = await chatOf()
    const carol = await world.person('carol')
    await expect(carol.setTyping(chat, true)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await carol.followTyping(chat).fails()).toMatchObject({ code: 'NOT_FOUND' })
  })

  it('leaves nothing behind', async () => {
    const [alice, , chat] = await chatOf()
    const before = (await world.redis.raw.keys('*')).sort()
    await alice.setTyping(chat, true)
    expect((await world.redis.raw.keys('*')).sort()).toEqual(before)
  })
})

describe('by the clock', () => {
  const memberOf = (userId: string, members = ['alice', 'bob', 'carol']): Member =>
    ({ userId, conversation: { id: 'grp_1', kind: 'GROUP', members }, joinedSeq: 1 }) as unknown as Member

  function start() {
    let nowMs = 0
    const waiting = new Set<{ atMs: number; wake: () => void }>()
    const clock: Clock = {
      now: () => nowMs,
      monotonic: () => nowMs,
      sleep: (ms, signal) =>
        new Promise((resolve) => {
          waiting.add({ atMs: nowMs + ms, wake: resolve })
          signal?.addEventListener('abort', () => resolve())
        }),
    }
    const redis = createMemoryRedis(clock)
    const events = createEventsMemory(redis)
    const told = vi.spyOn(events, 'publishTyping')
    return {
      ...createTyping(
        {
          events,
          clock,
          // All members stay in the group.
          subscribeUser: createSubscribeUser({
            events,
            access: { member: async (id: string) => memberOf(id) } as unknown as Access,
          }),
          resyncScheduler: createResyncScheduler({ ...createSoftStateMemory(redis), randomId: randomUUID }),
          blocking: { isBlocked: async () => false },
          observer: nullObserver,
        },
        100,
      ),
      told,
      pass(ms: number) {
        nowMs += ms
        for (const each of waiting) if (each.atMs <= nowMs) each.wake()
      },
    }
  }

  const heard = () => new Promise(setImmediate)
  const line = ({ value }: IteratorResult<Typing>): string => `${value.userId} ${value.typing}`

  it('what is not said again fades after six seconds', async () => {
    const { setTyping, followTyping, pass } = start()
    const atBob = await followTyping(memberOf('bob'))
    const first = atBob.next()
    await setTyping(memberOf('alice'), true)
    expect(line(await first)).toBe('alice true')
    const second = atBob.next()
    pass(4000)
    await setTyping(memberOf('alice'), true)
    await heard()
    pass(4000)
    await setTyping(memberOf('carol'), true)
    expect(line(await second)).toBe('carol true')
    const third = atBob.next()
    pass(2000)
    expect(line(await third)).toBe('alice false')
    await atBob.return?.()
  })

  it('is news again right after a message', async () => {
    const { setTyping, stopTyping, told } = start()
    const alice = memberOf('alice')
    await setTyping(alice, true)
    stopTyping(alice)
    await setTyping(alice, true)
    expect(told).toHaveBeenCalledTimes(2)
  })

  it('is passed on once in two seconds, however often it is said; the end at once', async () => {
    const { setTyping, told, pass } = start()
    const alice = memberOf('alice')
    for (let i = 0; i < 10; i += 1) await setTyping(alice, true)
    expect(told).toHaveBeenCalledTimes(1)
    pass(2000)
    await setTyping(alice, true)
    expect(told).toHaveBeenCalledTimes(2)
    await setTyping(alice, false)
    await setTyping(alice, false)
    expect(told).toHaveBeenCalledTimes(3)
    expect(told.mock.lastCall).toEqual([
      'grp_1',
      { userId: 'alice', conversationId: 'grp_1' as ConversationId, typing: false },
    ])
  })
})
