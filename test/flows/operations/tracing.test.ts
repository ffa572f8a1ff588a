import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { createClient } from 'graphql-ws'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import { SendMessageDocument } from '../../../packages/client/src/generated/graphql.ts'
import type { ChatEvent } from '../../../src/ports/events.ts'
import { decodeEvent, encodeEvent } from '../../../src/store/redis/event-wire.ts'
import type { Person } from '../../kit/person.ts'
import { listen } from '../../kit/services/listen.ts'
import { startWorld, type World } from '../../kit/world.ts'

type Span = {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  status: { code?: number }
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[]
  /** The span is of this node. */
  node: string
}

let world: World
let collector: Awaited<ReturnType<typeof startCollector>>

beforeAll(async () => {
  collector = await startCollector()
  world = await startWorld({ nodes: 2, config: { tracing: { endpoint: collector.url, serviceName: 'chat' } } })
})
afterAll(async () => {
  await world.stop()
  await collector.stop()
})

/** Accepts traces as OTLP has them in JSON. */
async function startCollector() {
  const spans: Span[] = []
  const services = new Set<string>()
  let received = ''
  const server = createServer(async (request, response) => {
    const body = (await json(request)) as Export
    received += JSON.stringify(body)
    for (const { resource, scopeSpans } of body.resourceSpans) {
      const textOf = (key: string) => resource.attributes.find((each) => each.key === key)?.value.stringValue ?? ''
      services.add(`${request.url} ${textOf('service.name')}`)
      for (const each of scopeSpans.flatMap((scope) => scope.spans)) {
        spans.push({ ...each, node: textOf('service.instance.id') })
      }
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  const { origin: url, stop } = await listen(server)
  return {
    url,
    stop,
    services,
    received: () => received,
    /** Resolves with the spans of one trace, once all of these are there. */
    async trace(traceId: string, ...names: string[]): Promise<Span[]> {
      const found = () => spans.filter((span) => span.traceId === traceId)
      await expect
        .poll(() => found().map(({ name }) => name), { timeout: 20_000 })
        .toEqual(expect.arrayContaining(names))
      return found()
    },
  }
}

type Export = {
  resourceSpans: { resource: { attributes: Span['attributes'] }; scopeSpans: { spans: Omit<Span, 'node'>[] }[] }[]
}

const traceId = (digit: string) => digit.repeat(32)
const clientSpanId = 'abcdef0123456789'
const traceparent = (digit: string, flags = '01') => `00-${traceId(digit)}-${clientSpanId}-${flags}`
const named = (spans: readonly Span[], name: string): Span => spans.find((span) => span.name === name) ?? expect.fail()
const attribute = ({ attributes }: Span, key: string) => attributes.find((each) => each.key === key)?.value

/** Alice is on the first node; bob listens on the second. */
async function chatters() {
  const [alice, bob] = [await world.person('alice'), await world.person('bob', { node: 1 })]
  const atBob = bob.follow()
  await world.online(bob)
  return { alice, bob, atBob }
}

const inputFor = ({ userId }: Person, clientMessageId = 'traced') => ({
  clientMessageId,
  to: { userId },
  body: 'Kx7qSecret',
})

const post = (path: string, { token }: Person, body: object, header: string) =>
  fetch(`${world.url()}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, traceparent: header },
    body: JSON.stringify(body),
  })

async function overWs({ token }: Person, variables: Record<string, unknown>, header: string): Promise<void> {
  const client = createClient({
    url: `${world.url().replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${token}` },
  })
  const operation = { query: String(SendMessageDocument), variables, extensions: { traceparent: header } }
  for await (const _result of client.iterate(operation)) break
  await client.dispose()
}

const ways: {
  via: string
  digit: string
  root: string
  send: (from: Person, to: Person, header: string) => unknown
}[] = [
  {
    via: 'HTTP',
    digit: '1',
    root: 'mutation SendMessage',
    send: (from, to, header) =>
      post('/graphql', from, { query: String(SendMessageDocument), variables: { input: inputFor(to) } }, header),
  },
  {
    via: 'WebSocket',
    digit: '2',
    root: 'mutation SendMessage',
    send: (from, to, header) => overWs(from, { input: inputFor(to) }, header),
  },
  {
    via: 'REST',
    digit: '3',
    root: 'mutation sendMessage',
    send: (from, to, header) => post('/messages', from, inputFor(to), header),
  },
]

describe('one trace', () => {
  it.each(ways)('holds the send over $via, its calls, the publish, and the delivery on the other node', async (way) => {
    const { alice, bob, atBob } = await chatters()
    await way.send(alice, bob, traceparent(way.digit))
    const [event] = await atBob.receives(1)
    const spans = await collector.trace(traceId(way.digit), way.root, 'publish', 'deliver', 'dynamodb PutItem messages')
    const root = named(spans, way.root)
    const publish = named(spans, 'publish')
    const deliver = named(spans, 'deliver')
    expect(root.parentSpanId).toBe(clientSpanId)
    expect(publish).toMatchObject({ parentSpanId: root.spanId, node: root.node })
    expect(named(spans, 'dynamodb PutItem messages')).toMatchObject({ parentSpanId: root.spanId })
    expect(deliver.parentSpanId).toBe(publish.spanId)
    expect(deliver.node).not.toBe(root.node)
    expect(attribute(deliver, 'parley.seq')?.intValue).toBe(event?.message.seq)
    expect(attribute(deliver, 'parley.user.id')?.stringValue).toBe(bob.userId)
    expect([...collector.services]).toEqual(['/v1/traces chat'])
    expect(collector.received()).not.toContain('Kx7qSecret')
    await atBob.stop()
  })

  it('says what went wrong, by its code alone', async () => {
    const { alice, bob, atBob } = await chatters()
    await alice.send(bob, 'other', { clientMessageId: 'traced' })
    const variables = { input: inputFor(bob) }
    await post('/graphql', alice, { query: String(SendMessageDocument), variables }, traceparent('4'))
    const root = named(await collector.trace(traceId('4'), 'mutation SendMessage'), 'mutation SendMessage')
    expect(root.status.code).toBe(2)
    expect(attribute(root, 'parley.code')?.stringValue).toBe('IDEMPOTENCY_CONFLICT')
    await atBob.stop()
  })

  it('is not kept where the client says so, and a traceparent that is none begins a new one', async () => {
    const { alice, bob, atBob } = await chatters()
    await post('/messages', alice, inputFor(bob, 'a'), traceparent('5', '00'))
    await post('/messages', alice, inputFor(bob, 'b'), traceparent('0'))
    await post('/messages', alice, inputFor(bob, 'c'), `${traceparent('6')}-more`)
    // This trace is later than those before it, and is kept.
    await post('/messages', alice, inputFor(bob, 'd'), traceparent('7'))
    await collector.trace(traceId('7'), 'deliver')
    for (const digit of ['5', '0', '6']) expect(collector.received()).not.toContain(traceId(digit))
    await atBob.stop()
  })
})

describe('the address of a trace in an event', () => {
  const event = { type: 'conversation', conversationId: 'dm_x' } as ChatEvent

  it('is passed over by nodes that trace nothing', () => {
    expect(decodeEvent(JSON.parse(encodeEvent(event, traceparent('1'))))).toEqual(event)
    expect(JSON.parse(encodeEvent(event, traceparent('1')))).toEqual({ v: 1, ...event, traceparent: traceparent('1') })
  })

  it('is not there where nobody traces', () => {
    expect(encodeEvent(event)).toBe('{"v":1,"type":"conversation","conversationId":"dm_x"}')
  })
})
