import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { MessageFieldsFragment } from '../../../packages/client/src/generated/graphql.ts'
import { networkError } from '../../../packages/client/src/shared/client-error.ts'
import { createPersistedState } from '../../../packages/client/src/shared/persisted-state.ts'
import {
  createOutbox,
  type Outbox,
  type OutboxOptions,
  type Recipient,
} from '../../../packages/client/src/state/outbox.ts'
import { memoryStorage } from '../../../packages/client/src/storage/memory-storage.ts'
import type { Storage } from '../../../packages/client/src/storage/storage.ts'
import {
  brokenStorage,
  busy,
  expectNoTimers,
  keptIn,
  message,
  persistedStateOver,
  refused,
  type ScriptedAsk,
  scriptedAsk,
  settled,
  slowStorage,
  stored,
} from '../kit.ts'

// What may happen to a message on its way, and in which order:
//
//   the answer comes, then the inbox brings it      waiting, sent, gone
//   the inbox brings it, then the answer comes      waiting, gone; the answer finds nothing to do
//   the answer says stored and the inbox has it     waiting, gone
//   the answer is lost, the inbox brings it         waiting, gone, also in the pause before the next attempt
//   the answer is lost, the inbox is silent         waiting, again with the same id
//   it is refused for good                          failed, and the lane goes on
//   the device is gone in between                   the next run goes on, with the same id

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

type World = ScriptedAsk & { outbox: Outbox; ids(): string[]; states(): string[] }

/** `random` 0: a pause is half of its step. */
function start(options: Partial<OutboxOptions> & { storage?: Storage; restored?: boolean } = {}): World {
  const { storage = memoryStorage(), restored = true, ...rest } = options
  const asks = scriptedAsk()
  let made = 0
  const outbox = createOutbox({
    ask: asks.ask,
    persistedState: persistedStateOver(storage),
    random: () => 0,
    randomId: () => `id${++made}`,
    now: Date.now,
    queueOf: nameOf,
    onStored: () => false,
    ...rest,
  })
  if (restored) outbox.restore([])
  return {
    ...asks,
    outbox,
    ids: () => asks.all.map(({ variables }) => variables.input.clientMessageId),
    states: () => outbox.entries.get().map(({ body, state }) => `${body} ${state}`),
  }
}

const nameOf = (to: Recipient): string => ('userId' in to ? to.userId : to.conversationId)
const bob: Recipient = { userId: 'bob' }
const carol: Recipient = { userId: 'carol' }
const own = (seq: number, clientMessageId: string): MessageFieldsFragment =>
  message(seq, { from: 'alice', clientMessageId })

describe('a message', () => {
  it('is shown at once, sent with its id, body and recipient, and stays until the inbox brings it', async () => {
    const { outbox, all, answer, states } = start()
    const outgoing = outbox.send(bob, 'hi')
    expect(states()).toEqual(['hi waiting'])
    await settled()
    expect(all).toMatchObject([
      { name: 'SendMessage', variables: { input: { clientMessageId: outgoing.clientMessageId, to: bob, body: 'hi' } } },
    ])
    await answer(stored(own(1, 'id1')))
    expect(states()).toEqual(['hi sent'])
    outbox.arrived('id1')
    expect(states()).toEqual([])
    expectNoTimers()
  })

  it('tells whoever looks of each change', async () => {
    const { outbox, answer, states } = start()
    const seen: string[][] = []
    outbox.entries.subscribe(() => seen.push(states()))
    outbox.send(bob, 'hi')
    await settled()
    await answer(stored(own(1, 'id1')))
    outbox.arrived('id1')
    expect(seen).toEqual([['hi waiting'], ['hi sent'], []])
  })

  it('is not tried before it is kept', async () => {
    const storage = slowStorage()
    const { outbox, all } = start({ storage })
    outbox.send(bob, 'hi')
    await settled()
    expect(all).toHaveLength(0)
    await storage.release()
    expect(Object.keys(await keptIn(storage))).toEqual(['outbox:id1'])
    expect(all).toHaveLength(1)
  })

  it('is kept no longer than until it is stored', async () => {
    const storage = memoryStorage()
    const { outbox, answer } = start({ storage })
    outbox.send(bob, 'hi')
    await settled()
    expect(await keptIn(storage)).toMatchObject({ 'outbox:id1': { body: 'hi', to: bob, state: 'waiting' } })
    await answer(stored(own(1, 'id1')))
    expect(await keptIn(storage)).toEqual({})
  })

  it('that cannot be one is refused before it gets an id', async () => {
    const { outbox, states } = start()
    expect(() => outbox.send(bob, ' ')).toThrow(expect.objectContaining({ code: 'BAD_USER_INPUT', field: 'body' }))
    expect(states()).toEqual([])
  })

  it('goes out although it could not be kept, and the application is told that', async () => {
    const told: unknown[] = []
    const { outbox, answer, states } = start({
      persistedState: createPersistedState(brokenStorage(), (error) => told.push(error)),
    })
    outbox.send(bob, 'hi')
    await settled()
    await answer(stored(own(1, 'id1')))
    expect(states()).toEqual(['hi sent'])
    expect(told).toContainEqual(new Error('full'))
  })
})

describe('an answer that does not come', () => {
  it('is asked for again with the same id, later each time and never more than 30 s', async () => {
    const { outbox, fail, all, ids } = start()
    outbox.send(bob, 'hi')
    await settled()
    for (const pauseMs of [250, 500, 1000, 2000, 4000, 8000, 15_000, 15_000]) {
      const before = all.length
      await fail()
      await vi.advanceTimersByTimeAsync(pauseMs - 1)
      expect(all).toHaveLength(before)
      await vi.advanceTimersByTimeAsync(1)
      expect(all).toHaveLength(before + 1)
    }
    expect(new Set(ids())).toEqual(new Set(['id1']))
  })

  it.each([
    [0, 250],
    [0.5, 375],
    [1, 500],
  ])('with a random of %d is asked for again after %d ms', async (random, pauseMs) => {
    const { outbox, fail, all } = start({ random: () => random })
    outbox.send(bob, 'hi')
    await settled()
    await fail()
    await vi.advanceTimersByTimeAsync(pauseMs - 1)
    expect(all).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(all).toHaveLength(2)
  })

  it('is waited for as long as the server says', async () => {
    const { outbox, fail, all } = start()
    outbox.send(bob, 'hi')
    await settled()
    await fail(busy(7000))
    await vi.advanceTimersByTimeAsync(6999)
    expect(all).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(all).toHaveLength(2)
  })

  it('because a token was refused is asked for again, with the next token', async () => {
    const { outbox, fail, answer, states, ids } = start()
    outbox.send(bob, 'hi')
    await settled()
    await fail(refused('UNAUTHENTICATED'))
    expect(states()).toEqual(['hi waiting'])
    await vi.advanceTimersByTimeAsync(250)
    await answer(stored(own(1, 'id1')))
    expect(states()).toEqual(['hi sent'])
    expect(ids()).toEqual(['id1', 'id1'])
  })

  it('and is no error of ours is asked for again, too', async () => {
    const { outbox, fail, all, states } = start()
    outbox.send(bob, 'hi')
    await settled()
    await fail(new TypeError('something odd'))
    expect(states()).toEqual(['hi waiting'])
    await vi.advanceTimersByTimeAsync(250)
    expect(all).toHaveLength(2)
  })

  it('is asked for at once when there is a way again', async () => {
    const { outbox, fail, ids } = start()
    outbox.send(bob, 'hi')
    await settled()
    await fail()
    outbox.wake()
    await settled()
    expect(ids()).toEqual(['id1', 'id1'])
    expectNoTimers()
  })

  it('leaves nothing to do when the inbox brings the message in the pause', async () => {
    const storage = memoryStorage()
    const { outbox, fail, all, states } = start({ storage })
    outbox.send(bob, 'hi')
    await settled()
    await fail()
    outbox.arrived('id1')
    expect(states()).toEqual([])
    expectNoTimers()
    outbox.wake()
    await settled()
    expect(all).toHaveLength(1)
    expect(await keptIn(storage)).toEqual({})
  })

  it('leaves nothing to do when the inbox was faster than the failure', async () => {
    const { outbox, fail, states } = start()
    outbox.send(bob, 'hi')
    await settled()
    outbox.arrived('id1')
    await fail()
    expect(states()).toEqual([])
    expectNoTimers()
  })
})

describe('an answer', () => {
  it('after the arrival does not bring the message back', async () => {
    const storage = memoryStorage()
    const { outbox, answer, states } = start({ storage })
    outbox.send(bob, 'hi')
    await settled()
    outbox.arrived('id1')
    await answer(stored(own(1, 'id1')))
    expect(states()).toEqual([])
    expect(await keptIn(storage)).toEqual({})
  })

  it('for what the inbox has handed over already ends it', async () => {
    const onStored = vi.fn(() => true)
    const { outbox, answer, states } = start({ onStored })
    outbox.send(bob, 'hi')
    await settled()
    await answer(stored(own(4, 'id1'), true))
    expect(onStored).toHaveBeenCalledWith(own(4, 'id1'), bob)
    expect(states()).toEqual([])
  })
})

describe('what is sent and will not be brought by the inbox', () => {
  it('is gone when it turns out to be here, and nothing else is', async () => {
    const { outbox, answer, states } = start()
    outbox.send(bob, 'one')
    outbox.send(carol, 'two')
    outbox.send({ userId: 'dave' }, 'three')
    await settled()
    await answer(stored(own(1, 'id1')))
    await answer(stored(own(2, 'id2')))
    outbox.removeStored(({ seq }) => seq === 1)
    expect(states()).toEqual(['two sent', 'three waiting'])
    outbox.removeStored(() => true)
    expect(states()).toEqual(['three waiting'])
  })
})

describe('a lane', () => {
  it('sends one at a time, in the order they were written', async () => {
    const { outbox, answer, ids } = start()
    for (const body of ['one', 'two', 'three']) outbox.send(bob, body)
    await settled()
    expect(ids()).toEqual(['id1'])
    await answer(stored(own(1, 'id1')))
    expect(ids()).toEqual(['id1', 'id2'])
    await answer(stored(own(2, 'id2')))
    expect(ids()).toEqual(['id1', 'id2', 'id3'])
  })

  it('waits while its first one pauses', async () => {
    const { outbox, fail, answer, ids } = start()
    outbox.send(bob, 'one')
    outbox.send(bob, 'two')
    await settled()
    await fail()
    outbox.send(bob, 'three')
    await settled()
    expect(ids()).toEqual(['id1'])
    await vi.advanceTimersByTimeAsync(250)
    expect(ids()).toEqual(['id1', 'id1'])
    await answer(stored(own(1, 'id1')))
    expect(ids()).toEqual(['id1', 'id1', 'id2'])
  })

  it('does not wait for another one', async () => {
    const { outbox, fail, answer, ids, first } = start()
    outbox.send(bob, 'to bob')
    outbox.send(carol, 'to carol')
    outbox.send(carol, 'and again')
    await settled()
    expect(ids()).toEqual(['id1', 'id2'])
    await fail()
    expect(first().variables.input.to).toEqual(carol)
    await answer(stored(own(1, 'id2')))
    expect(ids()).toEqual(['id1', 'id2', 'id3'])
  })

  it('goes on when the inbox brings its first one before the answer', async () => {
    const { outbox, ids } = start()
    outbox.send(bob, 'one')
    outbox.send(bob, 'two')
    await settled()
    outbox.arrived('id1')
    await settled()
    expect(ids()).toEqual(['id1', 'id2'])
  })

  it('goes on when its first one has failed for good', async () => {
    const { outbox, fail, ids, states } = start()
    outbox.send(bob, 'one')
    outbox.send(bob, 'two')
    await settled()
    await fail(refused('FORBIDDEN'))
    expect(ids()).toEqual(['id1', 'id2'])
    expect(states()).toEqual(['one failed', 'two waiting'])
  })

  it('is the same for a person and for the chat with them, as soon as that is known', async () => {
    const queueOf = (to: Recipient) => ('userId' in to ? 'dm_1' : to.conversationId)
    const { outbox, answer, ids } = start({ queueOf })
    outbox.send(bob, 'one')
    outbox.send({ conversationId: 'dm_1' }, 'two')
    await settled()
    expect(ids()).toEqual(['id1'])
    await answer(stored(own(1, 'id1')))
    expect(ids()).toEqual(['id1', 'id2'])
  })

  it('keeps the order of what was written in one millisecond, also over a reload', async () => {
    const storage = memoryStorage()
    const first = start({ storage, now: () => 1000, randomId: backwards() })
    for (const body of ['one', 'two', 'three']) first.outbox.send(bob, body)
    first.outbox.close()
    await settled()

    const second = start({ storage, restored: false })
    second.outbox.restore(await storage.load())
    expect(second.states()).toEqual(['one waiting', 'two waiting', 'three waiting'])
    await settled()
    expect(second.all.map(({ variables }) => variables.input.body)).toEqual(['one'])
  })

  it('keeps the order when the clock steps back', () => {
    const clock = [2000, 1000, 1500]
    const { outbox, states } = start({ now: () => clock.shift() ?? 0 })
    for (const body of ['one', 'two', 'three']) outbox.send(bob, body)
    expect(states()).toEqual(['one waiting', 'two waiting', 'three waiting'])
  })

  it('has one on its way at a time, also when one that has failed is tried again', async () => {
    const { outbox, fail, answer, open, ids } = start()
    for (const body of ['one', 'two', 'three']) outbox.send(bob, body)
    await settled()
    await fail(refused())
    outbox.retry('id1')
    await settled()
    expect(open).toHaveLength(1)
    await answer(stored(own(1, 'id2')))
    expect(ids()).toEqual(['id1', 'id2', 'id1'])
    await answer(stored(own(2, 'id1')))
    expect(ids()).toEqual(['id1', 'id2', 'id1', 'id3'])
  })

  it('has one on its way at a time, also when one is tried again while another pauses', async () => {
    const { outbox, fail, answer, open, ids } = start()
    for (const body of ['one', 'two']) outbox.send(bob, body)
    await settled()
    await fail(refused())
    await fail()
    outbox.retry('id1')
    await vi.advanceTimersByTimeAsync(250)
    expect(open).toHaveLength(1)
    await answer(stored(own(1, open[0]?.variables.input.clientMessageId)))
    expect(open).toHaveLength(1)
    await answer(stored(own(2, open[0]?.variables.input.clientMessageId)))
    expect(new Set(ids())).toEqual(new Set(['id1', 'id2']))
  })
})

/** Ids that sort the other way round. */
function backwards(): () => string {
  let made = 9
  return () => `id${made--}`
}

describe('what is refused for good', () => {
  it('shows the reason, is kept, and is not tried again by itself', async () => {
    const storage = memoryStorage()
    const { outbox, fail, all } = start({ storage })
    outbox.send(bob, 'hi')
    await settled()
    await fail(refused('FORBIDDEN', 'Not to them.'))
    const failed = { state: 'failed', error: { code: 'FORBIDDEN', message: 'Not to them.' } }
    expect(outbox.entries.get()).toMatchObject([failed])
    expect(await keptIn(storage)).toMatchObject({ 'outbox:id1': failed })
    outbox.wake()
    outbox.sendNext()
    await vi.advanceTimersByTimeAsync(120_000)
    expect(all).toHaveLength(1)
  })

  it('is tried again with the same id when the user says so', async () => {
    const { outbox, fail, answer, ids, states } = start()
    outbox.send(bob, 'hi')
    await settled()
    await fail(refused())
    outbox.retry('id1')
    expect(outbox.entries.get()[0]).not.toHaveProperty('error')
    await settled()
    expect(ids()).toEqual(['id1', 'id1'])
    await answer(stored(own(1, 'id1')))
    expect(states()).toEqual(['hi sent'])
  })

  it('is gone when the user says so, also after a reload', async () => {
    const storage = memoryStorage()
    const { outbox, fail, states } = start({ storage })
    outbox.send(bob, 'hi')
    await settled()
    await fail(refused())
    outbox.discard('id1')
    expect(states()).toEqual([])
    await settled()
    expect(await keptIn(storage)).toEqual({})
  })

  it('is gone when it turns out to be stored after all', async () => {
    const { outbox, fail, states } = start()
    outbox.send(bob, 'hi')
    await settled()
    await fail(refused())
    outbox.arrived('id1')
    expect(states()).toEqual([])
  })

  it('is all that can be tried again or discarded', async () => {
    const { outbox, all, states } = start()
    outbox.send(bob, 'hi')
    await settled()
    for (const id of ['id1', 'nobody']) {
      outbox.retry(id)
      outbox.discard(id)
    }
    await settled()
    expect(states()).toEqual(['hi waiting'])
    expect(all).toHaveLength(1)
  })
})

describe('a reload', () => {
  const kept = (id: string, createdAtMs: number, state = 'waiting'): [string, unknown] => [
    `outbox:${id}`,
    { clientMessageId: id, to: bob, body: id, createdAtMs, state },
  ]

  it('sends what was left, with the ids it had, before anything new', async () => {
    const { outbox, answer, ids, states } = start({ restored: false })
    outbox.send(bob, 'new')
    await settled()
    expect(ids()).toEqual([])
    outbox.restore([['position:dm_1', 4], kept('old2', 2), kept('old1', 1)])
    expect(states()).toEqual(['old1 waiting', 'old2 waiting', 'new waiting'])
    await settled()
    await answer(stored(own(1, 'old1')))
    await answer(stored(own(2, 'old2')))
    await answer(stored(own(3, 'id1')))
    expect(ids()).toEqual(['old1', 'old2', 'id1'])
  })

  it('does not try again what had failed, and still shows it', async () => {
    const { outbox, ids, states } = start({ restored: false })
    outbox.restore([kept('old1', 1, 'failed'), kept('old2', 2)])
    await settled()
    expect(states()).toEqual(['old1 failed', 'old2 waiting'])
    expect(ids()).toEqual(['old2'])
    outbox.retry('old1')
    expect(states()).toEqual(['old1 waiting', 'old2 waiting'])
  })

  it.each([false, true])(
    'puts what is new behind what was left, whatever the clock says (new before: %s)',
    (before) => {
      const { outbox, states } = start({ restored: false, now: () => 1000 })
      if (before) outbox.send(bob, 'new')
      outbox.restore([kept('old', 5000)])
      if (!before) outbox.send(bob, 'new')
      expect(states()).toEqual(['old waiting', 'new waiting'])
    },
  )

  it('in the middle of an attempt sends the same once more', async () => {
    const storage = memoryStorage()
    const first = start({ storage })
    first.outbox.send(bob, 'hi')
    await settled()
    first.outbox.close()

    const second = start({ storage, restored: false })
    second.outbox.restore(await storage.load())
    await settled()
    expect([...first.ids(), ...second.ids()]).toEqual(['id1', 'id1'])
  })
})

describe('when it is closed', () => {
  it('in a pause, nothing is tried any more and no timer is left', async () => {
    const { outbox, fail, all } = start()
    outbox.send(bob, 'hi')
    await settled()
    await fail()
    outbox.close()
    expectNoTimers()
    outbox.wake()
    outbox.send(bob, 'later')
    await settled()
    expect(all).toHaveLength(1)
  })

  it('during an attempt, its failure starts no other', async () => {
    const { outbox, fail, all, states } = start()
    outbox.send(bob, 'one')
    outbox.send(bob, 'two')
    await settled()
    outbox.close()
    await fail(networkError('Nobody there.'))
    expectNoTimers()
    expect(all).toHaveLength(1)
    expect(states()).toEqual(['one waiting', 'two waiting'])
  })

  it('before a message is kept, the message waits for the next run', async () => {
    const storage = slowStorage()
    const { outbox, all } = start({ storage })
    outbox.send(bob, 'hi')
    outbox.close()
    await settled()
    await storage.release()
    expect(all).toHaveLength(0)
    expect(Object.keys(await keptIn(storage))).toEqual(['outbox:id1'])
  })
})

describe('a message with attachments', () => {
  it('needs no text, is kept with them, and goes out with them', async () => {
    const storage = memoryStorage()
    const { outbox, all, answer } = start({ storage })
    const to = { conversationId: 'grp_1' }
    outbox.send(to, '', { attachmentIds: ['att_1', 'att_2'], replyToSeq: 0 })
    await settled()
    const input = { clientMessageId: 'id1', to, body: '', attachmentIds: ['att_1', 'att_2'], replyToSeq: 0 }
    expect(all.map(({ variables }) => variables)).toEqual([{ input }])
    expect(await keptIn(storage)).toMatchObject({ 'outbox:id1': { attachmentIds: ['att_1', 'att_2'] } })
    await answer(stored(message(1)))
  })

  it('is a message without any where there are none, and then needs a text', async () => {
    const { outbox, all } = start()
    const to = { conversationId: 'grp_1' }
    expect(() => outbox.send(to, '', { attachmentIds: [] })).toThrow('visible')
    expect(() => outbox.send(to, '')).toThrow('visible')
    expect(() => outbox.send(to, '\0', { attachmentIds: ['att_1'] })).toThrow('NUL')
    outbox.send(to, 'hi', { attachmentIds: [] })
    await settled()
    expect(all[0]?.variables.input).toEqual({ clientMessageId: 'id1', to, body: 'hi' })
  })
})
