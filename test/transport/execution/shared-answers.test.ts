import { buildSchema, type GraphQLObjectType, parse } from 'graphql'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { expect, onTestFinished, test } from 'vitest'
import type { Answer } from '../../../src/engine/graphql/answer.ts'
import { createMetrics } from '../../../src/observability/metrics.ts'
import { createOperationLog } from '../../../src/observability/operation-log.ts'
import { createErrorMapper } from '../../../src/transport/execution/errors.ts'
import { EventStream } from '../../../src/transport/execution/event-stream.ts'
import { createOperations } from '../../../src/transport/execution/operations.ts'
import { createOutcome } from '../../../src/transport/execution/outcome.ts'
import { createPlans } from '../../../src/transport/execution/plans.ts'
import type { CreateContext } from '../../../src/transport/execution/prepared.ts'
import { createReference } from '../../../src/transport/execution/reference.ts'
import { createSubscribe } from '../../../src/transport/execution/subscribe.ts'
import type { ConnectionLimits } from '../../../src/transport/limits/connection-limits.ts'
import { asUser, realClock } from '../kit.ts'

const sdl = /* GraphQL */ `
  type Message { id: ID! body(upTo: Int): String! clientMessageId: ID slow: String! reactions: [String!]! unreadCount: Int! fragile: String! }
  type Added { message: Message! previousSeq: Int! }
  type Query { none: Int }
  type Subscription { added: Added! }
`

type Row = { id: string; senderId: string; clientMessageId: string; reactions: string[] }
type Event = { row: Row; previousSeq: number; catchUp?: boolean }
type Context = { userId: string }

/** Who is asked for, and how often. */
function createStage() {
  const asked: Record<string, string[]> = {}
  const held: (() => void)[] = []
  const stage = { asked, failures: 0, held, isHeld: false }
  const note = (field: string, { userId }: Context) => {
    asked[field] = [...(asked[field] ?? []), userId]
  }
  const fields: Record<string, [resolve: (row: Row, args: never, context: Context) => unknown, same?: unknown]> = {
    id: [(row) => row.id, true],
    body: [
      (row, _args, context) => {
        note('body', context)
        return `body of ${row.id}`
      },
      true,
    ],
    clientMessageId: [(row, _args, { userId }) => (row.senderId === userId ? row.clientMessageId : null), true],
    slow: [
      (row, _args, context) => {
        note('slow', context)
        const text = `slow ${row.id}`
        if (!stage.isHeld) return Promise.resolve(text)
        return new Promise((resolve) => held.push(() => resolve(text)))
      },
      true,
    ],
    reactions: [
      ({ reactions }, _args, { userId }) => reactions.map((by) => (by === userId ? 'mine' : 'theirs')),
      ({ reactions }: Row) => reactions.length === 0,
    ],
    unreadCount: [(_row, _args, { userId }) => userId.length],
    fragile: [
      (_row, _args, context) => {
        note('fragile', context)
        if (stage.failures === 0) return 'whole'
        stage.failures -= 1
        throw new Error('broken')
      },
      true,
    ],
  }
  return { ...stage, stage, fields }
}

function createRoom() {
  const { stage, fields } = createStage()
  const schema = buildSchema(sdl)
  const fieldOf = (type: string, name: string) =>
    (schema.getType(type) as GraphQLObjectType).getFields()[name] as { resolve?: unknown; extensions: object }
  for (const [name, [resolve, sameForAll]] of Object.entries(fields)) {
    Object.assign(fieldOf('Message', name), { resolve, extensions: { sameForAll } })
  }
  Object.assign(fieldOf('Added', 'message'), { resolve: ({ row }: Event) => row, extensions: { sameForAll: true } })
  Object.assign(fieldOf('Added', 'previousSeq'), { extensions: { sameForAll: true } })
  const sources = new Map<string, ReturnType<typeof createSource>>()
  Object.assign(fieldOf('Subscription', 'added'), {
    subscribe: (_root: unknown, _args: unknown, { userId }: Context) => sources.get(userId),
    resolve: (event: Event) => event,
    extensions: {
      sharedAnswerKeyOf: ({ row, previousSeq, catchUp }: Event) =>
        catchUp ? undefined : { source: row, variant: previousSeq, exceptViewerId: row.senderId },
    },
  })
  const silent = pino({ level: 'silent' })
  const metrics = createMetrics(new Registry())
  const planOf = createPlans(schema)
  const createContext: CreateContext = (viewer) => ({ userId: viewer?.userId ?? '' })
  const { subscribe } = createSubscribe({
    reference: createReference({ schema, createContext }),
    outcome: createOutcome(
      createErrorMapper(silent, () => 'an error id'),
      undefined,
    ),
    operations: createOperations(realClock),
    log: createOperationLog(realClock, silent, metrics),
    metrics,
    connectionLimits: { acquireSubscription: () => () => undefined } as Partial<ConnectionLimits> as ConnectionLimits,
    refusedViewers: { refuses: () => false, onChange: () => undefined },
    clock: { ...realClock, sleep: async () => undefined },
    onDelivery: undefined,
  })
  const documents = new Map<string, ReturnType<typeof parse>>()

  /** What the viewer was answered so far, and a way to wait for more. `isFull`: its socket takes nothing in the turn of the event. */
  async function viewer(userId: string, fieldsAsked: string, { isFull = false } = {}) {
    const source = createSource()
    sources.set(userId, source)
    const text = `subscription { added { ${fieldsAsked} } }`
    const document = documents.get(text) ?? parse(text)
    documents.set(text, document)
    const plan = planOf(document, undefined)
    if (!plan) throw new Error('There is no operation.')
    const context = {
      transport: 'ws' as const,
      viewer: { userId: asUser(userId), expiresAtMs: Number.MAX_SAFE_INTEGER },
    }
    const stream = await subscribe({ plan, variables: undefined, context }, 'ws')
    if (!(stream instanceof EventStream)) throw new Error(stream.json)
    const answers: Answer[] = []
    const take = (answer: Answer) => {
      answers.push(answer)
      return !isFull
    }
    const over = new Promise<void>((resolve, reject) => {
      stream.deliverTo({
        tryPush: (answer) => !isFull && take(answer),
        push: (answer) => void take(answer),
        end: (error) => (error === undefined ? resolve() : reject(error)),
      })
    })
    over.catch(() => undefined)
    onTestFinished(async () => void (await stream.return()))
    return {
      hear: source.push,
      over,
      answers,
      received: (count: number) => expect.poll(() => answers.length, { interval: 1 }).toBe(count),
      messages: () => answers.map(({ json }) => JSON.parse(json).data.added.message),
    }
  }
  return { stage, viewer }
}

/** Offers its events in the turn they are heard, as the domain's streams do, unless some wait already. */
function createSource() {
  const queue: Event[] = []
  let reader: ((step: IteratorResult<Event>) => void) | undefined
  let sink: { tryPush(event: Event): boolean } | undefined
  return {
    push(event: Event) {
      if (reader && queue.length === 0 && sink?.tryPush(event)) return
      if (!reader) return void queue.push(event)
      const resolve = reader
      reader = undefined
      resolve({ done: false, value: event })
    },
    setSink(to: { tryPush(event: Event): boolean }) {
      sink = to
    },
    [Symbol.asyncIterator]() {
      return this
    },
    next(): Promise<IteratorResult<Event>> {
      const value = queue.shift()
      if (value) return Promise.resolve({ done: false, value })
      return new Promise((resolve) => {
        reader = resolve
      })
    },
    async return(): Promise<IteratorResult<Event>> {
      return { done: true, value: undefined }
    },
  }
}

const aRow = (id: string, more: Partial<Row> = {}): Row => ({
  id,
  senderId: 'alice',
  clientMessageId: `of ${id}`,
  reactions: [],
  ...more,
})

const plain = 'message { id body clientMessageId } previousSeq'

/** Three who ask for the same; alice has written it. */
async function three(fields: string) {
  const room = createRoom()
  const [alice, bob, carol] = [
    await room.viewer('alice', fields),
    await room.viewer('bob', fields),
    await room.viewer('carol', fields),
  ]
  const all = [alice, bob, carol]
  const hear = (event: Event) => {
    for (const each of all) each.hear(event)
  }
  const received = (count: number) => Promise.all(all.map((each) => each.received(count)))
  return { ...room, alice, bob, carol, hear, received }
}

test('two with the same document get the same answer, from one execution', async () => {
  const { stage, bob, carol, hear, received } = await three(plain)
  hear({ row: aRow('1'), previousSeq: 0 })
  await received(1)
  expect(bob.answers[0]).toBe(carol.answers[0])
  expect(stage.asked.body).toEqual(['alice', 'bob'])
})

test('the sender still sees what only the sender may, whoever is answered first', async () => {
  const { alice, bob, carol, received } = await three(plain)
  const event = { row: aRow('1'), previousSeq: 0 }
  for (const each of [bob, alice, carol]) each.hear(event)
  await received(1)
  expect(alice.messages()).toEqual([{ id: '1', body: 'body of 1', clientMessageId: 'of 1' }])
  for (const each of [bob, carol]) expect(each.messages()[0].clientMessageId).toBeNull()
})

test('a document that asks for something personal is executed for each', async () => {
  const { bob, carol, hear, received } = await three('message { id body unreadCount }')
  hear({ row: aRow('1'), previousSeq: 0 })
  await received(1)
  expect([bob, carol].map((each) => each.messages()[0].unreadCount)).toEqual([3, 5])
})

test('a field that is personal for some rows is executed for each there, and once elsewhere', async () => {
  const { stage, bob, carol, hear, received } = await three('message { body reactions }')
  hear({ row: aRow('1', { reactions: ['bob'] }), previousSeq: 0 })
  hear({ row: aRow('2'), previousSeq: 1 })
  await received(2)
  expect(bob.messages().map(({ reactions }) => reactions)).toEqual([['mine'], []])
  expect(carol.messages().map(({ reactions }) => reactions)).toEqual([['theirs'], []])
  expect(stage.asked.body).toEqual(['alice', 'bob', 'carol', 'alice', 'bob'])
})

test('the same holds where the answer has to be waited for', async () => {
  const { bob, carol, hear, received } = await three('message { slow reactions }')
  hear({ row: aRow('1', { reactions: ['carol'] }), previousSeq: 0 })
  await received(1)
  expect(bob.messages()).toEqual([{ slow: 'slow 1', reactions: ['theirs'] }])
  expect(carol.messages()).toEqual([{ slow: 'slow 1', reactions: ['mine'] }])
})

test('different documents, different rows, different previous ones and what is caught up are not shared', async () => {
  const room = createRoom()
  const [bob, carol, dave] = [
    await room.viewer('bob', plain),
    await room.viewer('carol', plain),
    await room.viewer('dave', 'message { body }'),
  ]
  const row = aRow('1')
  bob.hear({ row, previousSeq: 0 })
  dave.hear({ row, previousSeq: 0 })
  carol.hear({ row, previousSeq: 7 })
  carol.hear({ row: aRow('1'), previousSeq: 0 })
  carol.hear({ row, previousSeq: 0, catchUp: true })
  await Promise.all([bob.received(1), carol.received(3), dave.received(1)])
  expect(room.stage.asked.body).toEqual(['bob', 'dave', 'carol', 'carol', 'carol'])
  expect(carol.answers.map(({ json }) => JSON.parse(json).data.added.previousSeq)).toEqual([7, 0, 0])
  expect(JSON.parse(dave.answers[0]?.json ?? '')).toEqual({ data: { added: { message: { body: 'body of 1' } } } })
})

test('an answer whose fields fail is not shared, and the event is tried again for each', async () => {
  const { stage, alice, bob, carol, hear, received } = await three('message { id fragile }')
  // Compiled and by graphql-js, when the event is heard and when it is pulled.
  stage.failures = 5
  hear({ row: aRow('1'), previousSeq: 0 })
  hear({ row: aRow('2'), previousSeq: 1 })
  await received(2)
  expect(stage.failures).toBe(0)
  for (const each of [alice, bob, carol]) {
    expect(each.messages()).toEqual([
      { id: '1', fragile: 'whole' },
      { id: '2', fragile: 'whole' },
    ])
  }
})

test('an event that cannot be resolved at all ends each stream with an error to come back from', async () => {
  const { stage, bob, carol, hear } = await three('message { id fragile }')
  stage.failures = Number.POSITIVE_INFINITY
  hear({ row: aRow('1'), previousSeq: 0 })
  for (const each of [bob, carol]) {
    await expect(each.over).rejects.toMatchObject({ extensions: { retryable: true } })
    expect(each.answers).toEqual([])
  }
})

test('events arrive in order where a field takes time, for some or for all', async () => {
  const { stage, bob, carol, hear, received } = await three('message { id slow }')
  stage.isHeld = true
  for (const id of ['1', '2', '3']) hear({ row: aRow(id), previousSeq: Number(id) - 1 })
  await expect.poll(() => stage.held.length, { interval: 1 }).toBeGreaterThan(0)
  expect([...bob.answers, ...carol.answers]).toEqual([])
  stage.isHeld = false
  hear({ row: aRow('4'), previousSeq: 3 })
  for (const release of stage.held.splice(0).reverse()) release()
  await received(4)
  for (const each of [bob, carol]) expect(each.messages().map(({ id }) => id)).toEqual(['1', '2', '3', '4'])
  expect(stage.asked.slow).not.toContain('carol')
})

test('one whose socket is full gets the shared answer too, in order', async () => {
  const room = createRoom()
  const bob = await room.viewer('bob', plain)
  const carol = await room.viewer('carol', plain, { isFull: true })
  for (const id of ['1', '2', '3']) {
    const event = { row: aRow(id), previousSeq: Number(id) - 1 }
    bob.hear(event)
    carol.hear(event)
  }
  await carol.received(3)
  expect(carol.answers).toEqual(bob.answers)
  expect(room.stage.asked.body).toEqual(['bob', 'bob', 'bob'])
})
