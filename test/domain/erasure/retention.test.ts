import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Domain } from '../../../src/domain/domain.ts'
import { feedBeginning } from '../../../src/domain/feed/positions.ts'
import { nullObserver } from '../../../src/domain/observer.ts'
import { createKeyValueMemory } from '../../../src/engine/key-value/key-value.memory.ts'
import type { Ports } from '../../../src/ports/ports.ts'
import { unavailable } from '../../../src/protocol/errors.ts'
import type { ClientMessageId, ConversationId, Seq, UserId } from '../../../src/protocol/ids.ts'
import { createStoresEmbedded } from '../../../src/store/embedded/stores.ts'
import { tableNames } from '../../../src/store/rows/tables.ts'
import { memoryDomain } from '../../kit/memory-domain.ts'
import { mortal } from '../../kit/mortal.ts'
import { steppedClock } from '../../kit/stepped-clock.ts'
import { waitUntil } from '../../kit/wait-until.ts'

// Messages that are too old: who sees what while the floor rises, and what is left, on the embedded tables in memory.

const [alice, bob] = ['alice', 'bob'] as [UserId, UserId]
const word = 'marzipan'
const dayMs = 86_400_000
const kinds = ['direct chat', 'group'] as const
type Kind = (typeof kinds)[number]

/** What was said on day 0 has the word, with an answer, an edit and a reaction. On day 20 three more were said. */
async function aChat(kind: Kind = 'direct chat') {
  const engine = createKeyValueMemory()
  const { clock, pass } = steppedClock()
  const options = { randomId: randomUUID, feed: true }
  const { ports } = memoryDomain(() => ({ ...createStoresEmbedded(engine), clock }), options)
  /** Each node has a memory of its own. */
  const node = (changed: Partial<Ports> = {}): Domain => memoryDomain(() => ({ ...ports, ...changed }), options).domain
  const stale = node()
  const clientMessageId = () => randomUUID() as ClientMessageId
  const memberOf = (userId: UserId, on = stale) => on.access.member(userId, id)
  const request = { clientGroupId: 'g' as ClientMessageId, title: 'Tea', memberIds: [bob] }
  const created = kind === 'group' ? await stale.groups.create(alice, request) : await stale.access.direct(alice, bob)
  const { id } = created.conversation
  const say = async (from: UserId, body: string, more = {}, on = stale): Promise<Seq> => {
    const draft = { clientMessageId: clientMessageId(), body, ...more }
    const to = from === alice ? bob : alice
    const sent = kind === 'group' ? on.send(await memberOf(from, on), draft) : on.sendTo(from, to, draft)
    return (await sent).message.seq
  }
  const alter = async (
    seq: Seq,
    alteration: Parameters<Domain['change']>[1]['alteration'],
    on = stale,
  ): Promise<unknown> => on.change(await memberOf(alice, on), { seq, clientMessageId: clientMessageId(), alteration })
  const old = await say(alice, `${word} one`)
  const answer = await say(bob, `${word} two`, { replyToSeq: old })
  await alter(old, { type: 'edit', body: `${word} three` })
  await alter(answer, { type: 'reaction', emoji: '🎉', on: true })
  pass(20 * dayMs)
  const recent = [await say(alice, 'four'), await say(bob, 'five'), await say(bob, 'six')]
  for (const userId of [alice, bob]) await memberOf(userId)
  return { engine, ports, node, stale, id, memberOf, say, alter, pass, clock, old, answer, recent }
}

/** Lets a node do all that is due. */
async function work(domain: Domain, ports: Ports): Promise<void> {
  await waitUntil(
    async () => {
      await domain.tasks.tick()
      return (await ports.timers.due(ports.clock.now(), 1)).length === 0
    },
    { interval: 1 },
  )
}

const wordsIn = (engine: Awaited<ReturnType<typeof aChat>>['engine']): string[] =>
  tableNames.flatMap((name) =>
    [...engine.table(name).entries()]
      .map(([key, row]) => `${name} ${key.join(' ')} ${JSON.stringify(row)}`)
      .filter((row) => row.includes(word)),
  )

const lastSeqOf = async (domain: Domain, userId: UserId, id: ConversationId) =>
  (await domain.chats.tails([await domain.access.member(userId, id)]))[0]?.lastSeq

/** Everything that bob can see, in every way there is. */
async function seenByBob(domain: Domain, id: ConversationId) {
  const member = await domain.access.member(bob, id)
  const { history, chats } = domain
  const texts = ({ messages }: Awaited<ReturnType<typeof history.page>>) => messages.map(({ body }) => body)
  const newest = await history.page(member, { count: 50, from: 'newest', notices: true })
  const oldest = await history.page(member, { count: 50, from: 'oldest' })
  const around = await history.around(member, { count: 50, seq: 2 })
  const two = await history.page(member, { count: 2, from: 'newest' })
  const [tail] = await chats.tails([member])
  const single = await history.messagesOf([1, 2, 3].map((seq) => ({ member, seq })))
  const [unread] = await chats.unreadCounts([{ member, readSeq: member.joinedSeq, lastSeq: tail?.lastSeq ?? 0 }])
  return {
    newest: texts(newest),
    oldest: texts(oldest),
    around: texts(around),
    more: [newest.moreOlder, newest.moreNewer, two.moreOlder],
    single: single.map((each) => each?.body),
    lastSeq: tail?.lastSeq,
    last: tail?.lastMessage?.body,
    unread,
  }
}

async function streamed(domain: Domain, request: Parameters<Domain['follow']>[0], count: number) {
  const stream = await domain.follow(request)
  const events: { body: string; previousSeq: Seq }[] = []
  while (events.length < count) {
    const { value } = await stream.next()
    events.push({ body: value.row.body, previousSeq: value.previousSeq })
  }
  await stream.return?.()
  return events
}

describe.each(kinds)('in a %s', (kind) => {
  it('what is too old is seen by nobody and stored nowhere, and all else is as it was, also on a node that knows an older floor', async () => {
    const { engine, ports, node, stale, id, memberOf, say, alter, pass, old, recent } = await aChat(kind)
    const worker = node()
    await worker.retention.set(id, 30)
    await work(worker, ports)
    expect(wordsIn(engine)).not.toEqual([])
    pass(11 * dayMs)
    await work(worker, ports)
    expect(wordsIn(engine)).toEqual([])

    const seen = {
      ...{ newest: ['six', 'five', 'four'], oldest: ['six', 'five', 'four'], around: ['six', 'five', 'four'] },
      ...{ more: [false, false, true], single: [undefined, undefined, undefined], last: 'six', lastSeq: recent[2] },
    }
    for (const domain of [worker, node(), stale]) {
      const { unread, ...rest } = await seenByBob(domain, id)
      // A group shows that it was created as long as a node has the old floor: a change of the group stays in its place.
      const [newest, single] = [rest.newest.filter((body) => body !== ''), rest.single.map((body) => body || undefined)]
      expect({ ...rest, newest, single, more: [false, false, true] }).toEqual(seen)
      expect(unread).toBe(1)
      await expect(alter(old, { type: 'edit', body: 'late' }, domain)).rejects.toMatchObject({ code: 'NOT_FOUND' })
      await expect(say(bob, 'to what?', { replyToSeq: old }, domain)).rejects.toMatchObject({ code: 'BAD_USER_INPUT' })
      const member = await memberOf(bob, domain)
      const behind = await streamed(domain, { userId: bob, after: [{ member, seq: old }] }, 3)
      expect(behind.map(({ body }) => body)).toEqual(['four', 'five', 'six'])
      expect(behind[0]?.previousSeq).toBe(old)
    }
    const anew = await streamed(worker, { userId: bob, after: [], notices: true }, 3)
    expect(anew[0]).toEqual({ body: 'four', previousSeq: 0 })
    expect(await say(bob, 'seven')).toBe((recent[2] ?? 0) + 1)
  })

  it('where everything is too old, the chat stays, its numbers go on, and what was left of the first floor goes with the next', async () => {
    const { engine, ports, node, stale, id, say, pass, recent, clock } = await aChat(kind)
    const worker = node()
    await worker.retention.set(id, 7)
    await work(worker, ports)
    pass(8 * dayMs)
    await work(worker, ports)
    const entries = async () => (await ports.messages.above(id, 0, 100)).filter((row) => row.kind !== 'void')
    expect((await entries()).map(({ seq }) => seq)).toEqual([1, recent[2]])
    for (const domain of [worker, stale]) {
      const { last, lastSeq, newest, unread } = await seenByBob(domain, id)
      expect({ last, lastSeq, unread, shown: newest.filter((body) => body !== '') }).toEqual({
        ...{ last: undefined, lastSeq: recent[2], unread: 0, shown: [] },
      })
    }
    // Redis has forgotten everything.
    const fresh = memoryDomain(() => ({ ...createStoresEmbedded(engine), clock }), { randomId: randomUUID }).domain
    expect((await fresh.chatList.order(bob)).map(({ sortKey }) => sortKey.id)).toEqual([id])
    expect(await lastSeqOf(fresh, bob, id)).toBe(recent[2])
    expect(await say(bob, 'eight', {}, fresh)).toBe((recent[2] ?? 0) + 1)
    pass(8 * dayMs)
    await work(worker, ports)
    expect((await entries()).map(({ seq }) => seq)).toEqual([1, (recent[2] ?? 0) + 1])
  })

  it('between the floor and the work below it, nothing below is shown, streamed or exported', async () => {
    const { ports, node, id, pass, engine } = await aChat(kind)
    const dying = node({ messages: { ...ports.messages, empty: async () => Promise.reject(unavailable()) } })
    await dying.retention.set(id, 15)
    await waitUntil(async () => {
      await dying.tasks.tick()
      return ((await ports.conversations.getMany([id]))[0]?.retention?.floorSeq ?? 0) > 0
    })
    expect(wordsIn(engine)).not.toEqual([])
    const domain = node()
    const { newest, more, single, unread } = await seenByBob(domain, id)
    expect({ newest, more, single, unread }).toEqual({
      ...{ newest: ['six', 'five', 'four'], more: [false, false, true], single: [undefined, undefined, undefined] },
      unread: 1,
    })
    const [first] = await streamed(domain, { userId: bob, after: [] }, 3)
    expect(first).toEqual({ body: 'four', previousSeq: 0 })
    await dying.tasks.stop()
    pass(60_000)
    await work(domain, ports)
    expect(wordsIn(engine)).toEqual([])
  })
})

it('while a page is read it becomes shorter, or is filled with what is above; nothing comes twice or in another order', async () => {
  const { ports, node, id, pass, stale, say } = await aChat()
  for (let i = 0; i < 30; i += 1) await stale.change(await stale.access.member(alice, id), reaction(5, i))
  await say(bob, 'seven')
  pass(1)
  const worker = node()
  let reads = 0
  const below: Ports['messages']['below'] = async (...asked) => {
    reads += 1
    if (reads === 2) {
      await worker.retention.set(id, 15)
      await work(worker, ports)
    }
    return ports.messages.below(...asked)
  }
  const reader = node({ messages: { ...ports.messages, below } })
  const member = await reader.access.member(bob, id)
  const { messages, moreOlder } = await reader.history.page(member, { count: 5, from: 'newest' })
  expect(reads).toBeGreaterThan(2)
  expect(messages.map(({ body }) => body)).toEqual(['seven', 'six', 'five', 'four'])
  expect(moreOlder).toBe(false)
  const cursor = await reader.history.page(member, { count: 5, from: 'oldest', newerThan: 2 })
  expect(cursor.messages.map(({ body }) => body)).toEqual(['seven', 'six', 'five', 'four'])
})

const reaction = (seq: Seq, i: number) => ({
  ...{ seq, clientMessageId: randomUUID() as ClientMessageId },
  alteration: { type: 'reaction' as const, emoji: '👍', on: i % 2 === 0 },
})

it('wherever a node dies, another one goes on, and what is left is the same', async () => {
  const after = async (ports: Ports, id: ConversationId) => ({
    rows: (await ports.messages.above(id, 0, 100)).map(({ kind, seq }) => `${seq} ${kind}`),
    row: (await ports.conversations.getMany([id]))[0]?.retention,
  })
  const whole = await aChat()
  const { ports: counted, calls } = mortal(whole.ports, Number.POSITIVE_INFINITY)
  const alive = whole.node(counted)
  await alive.retention.set(whole.id, 15)
  await work(alive, whole.ports)
  const [expected, total] = [await after(whole.ports, whole.id), calls()]
  expect(expected.row).toMatchObject({ days: 15, floorSeq: 4, emptiedSeq: 3 })
  expect(total).toBeGreaterThan(15)
  for (let lastCall = 1; lastCall <= total; lastCall += 1) {
    const { engine, ports, node, id, pass } = await aChat()
    const dying = mortal(ports, lastCall)
    const first = node(dying.ports)
    await first.retention.set(id, 15).catch(() => undefined)
    await waitUntil(
      async () => {
        await first.tasks.tick().catch(() => undefined)
        return dying.calls() >= lastCall
      },
      { interval: 1 },
    )
    pass(60_000)
    const second = node()
    await second.retention.set(id, 15)
    await work(second, ports)
    expect(await after(ports, id), `after call ${lastCall}`).toEqual(expected)
    expect(wordsIn(engine), `after call ${lastCall}`).toEqual([])
  }
})

it('the floor never goes down, and days that were raised in the meantime keep it where it is', async () => {
  const { ports, node, id, pass } = await aChat()
  const floor = async () => (await ports.conversations.getMany([id]))[0]?.retention?.floorSeq
  let meanwhile: () => Promise<unknown> = async () => undefined
  const conversations = {
    ...ports.conversations,
    raiseFloor: async (...asked: Parameters<Ports['conversations']['raiseFloor']>) => {
      await meanwhile()
      return ports.conversations.raiseFloor(...asked)
    },
  }
  const worker = node({ conversations })
  const other = node()
  meanwhile = () => other.retention.set(id, 365)
  await worker.retention.set(id, 15)
  await work(worker, ports)
  expect(await floor()).toBe(0)
  meanwhile = async () => undefined
  await worker.retention.set(id, 15)
  await work(worker, ports)
  expect(await floor()).toBe(4)
  await worker.retention.set(id, 365)
  await work(worker, ports)
  expect(await floor()).toBe(4)
  await worker.retention.set(id, undefined)
  pass(1000 * dayMs)
  await work(worker, ports)
  expect(await floor()).toBe(4)
  expect(await ports.timers.due(Number.MAX_SAFE_INTEGER, 10)).toEqual([])
})

it('what has gone is counted', async () => {
  const { ports, id } = await aChat()
  let gone = 0
  const emptied = (entries: number) => {
    gone += entries
  }
  const worker = memoryDomain(() => ports, { randomId: randomUUID, observer: { ...nullObserver, emptied } }).domain
  await worker.retention.set(id, 15)
  await work(worker, ports)
  expect(gone).toBe(4)
})

it('asked for ten times it is looked at once a time', async () => {
  const { ports, node, id, pass } = await aChat()
  const worker = node()
  for (let i = 0; i < 10; i += 1) {
    await worker.retention.set(id, 30)
    pass(1)
    if (i % 3 === 0) await work(worker, ports)
  }
  await work(worker, ports)
  expect(await ports.timers.due(Number.MAX_SAFE_INTEGER, 10)).toHaveLength(1)
})

it('the feed goes past what is gone, and begins no chat a second time', async () => {
  const { ports, node, id, pass } = await aChat()
  const worker = node()
  await worker.retention.set(id, 15)
  await work(worker, ports)
  pass(60_000)
  const { events } = await node().feed.page(feedBeginning, 100)
  const told = events.map(({ event }) => `${event.type} ${event.seq ?? ''}`)
  expect(told.filter((each) => /^message\.sent/.test(each))).toEqual([
    'message.sent 5',
    'message.sent 6',
    'message.sent 7',
  ])
  expect(told.filter((each) => /^conversation\.created/.test(each)).length).toBeLessThanOrEqual(1)
})
