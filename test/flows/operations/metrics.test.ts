import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { ConversationId, UserId } from '../../../src/protocol/ids.ts'
import { type Person, testSecret } from '../../kit/person.ts'
import { seedCounter } from '../../kit/seed-counter.ts'
import { type IdentityProvider, startIdentityProvider } from '../../kit/services/identity-provider.ts'
import { type PreSendBackend, startPreSendBackend } from '../../kit/services/pre-send-backend.ts'
import { startProxy, type TcpProxy } from '../../kit/services/proxy.ts'
import { sharedService } from '../../kit/shared-services.ts'
import { startWorld, type World } from '../../kit/world.ts'

let world: World
let dynamodb: TcpProxy
let backend: PreSendBackend
let provider: IdentityProvider

beforeAll(async () => {
  dynamodb = await startProxy(await sharedService('dynalite'))
  backend = await startPreSendBackend()
  provider = await startIdentityProvider('k1')
  world = await startWorld({
    nodes: 2,
    dynamodbEndpoint: dynamodb.url,
    // This node can push, asks a backend, has webhooks and the keys of a provider, as these metrics are there only then.
    config: {
      events: true,
      auth: { secrets: [new TextEncoder().encode(testSecret)], jwksUrl: provider.url },
      push: { preview: true, log: true },
      preSend: { url: backend.url, failure: 'allow', secrets: 'derived' },
    },
    app: { push: { works: false } },
  })
})
afterAll(async () => {
  await world.stop()
  await dynamodb.stop()
  await backend.stop()
  await provider.stop()
})

const rendered = async (node = 0): Promise<string> => (await fetch(`${world.url(node)}/metrics`)).text()

/** Returns the sum of all series of that name with these labels. */
async function numberOf(name: string, labels: Record<string, string> = {}, node = 0): Promise<number> {
  const lines = (await rendered(node))
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
  const fits = (line: string) => Object.entries(labels).every(([label, value]) => line.includes(`${label}="${value}"`))
  return lines.filter(fits).reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
}

type Series = { name: string; labels?: Record<string, string>; node?: number }

/** Waits until each number has risen by `by`, or fails after a while. */
async function rises(numbers: readonly (Series & { by: number })[], happening: () => Promise<unknown>): Promise<void> {
  const read = () => Promise.all(numbers.map(({ name, labels, node }) => numberOf(name, labels, node)))
  const before = await read()
  await happening()
  const risen = async () => (await read()).map((value, i) => value - (before[i] ?? 0))
  await expect.poll(risen, { timeout: 20_000 }).toEqual(numbers.map(({ by }) => by))
}

/** Alice is on the first node, bob on the second. */
const chatters = async (): Promise<[Person, Person, ConversationId]> => {
  const [alice, bob] = [await world.person('alice'), await world.person('bob', { node: 1 })]
  return [alice, bob, world.chatOf(alice, bob) as ConversationId]
}

const partsOf = (node: number) => world.nodes[node]?.parts ?? expect.fail()

describe('a node that has just started', () => {
  it('shows what alarms count, so that they see the first of each kind', async () => {
    const alerts = readFileSync(new URL('../../../deploy/prometheus/alerts.yml', import.meta.url), 'utf8')
    const counted = [...alerts.matchAll(/(?:increase|rate)\((parley_\w+_total)(?:\{(.*?)\})?\[/g)]
    expect(counted.length).toBeGreaterThan(20)
    const shown = (await rendered()).split('\n')
    const missing = counted.filter(([, name = '', matcher]) => {
      const [label, value] = matcher?.includes('!=') ? [] : (matcher?.split(/="|"/) ?? [])
      const fits = (line: string) =>
        line.startsWith(name) && (label === undefined || line.includes(`${label}="${value}"`))
      return !shown.some(fits)
    })
    // These have labels that the node learns with the first of them: an operation, a table, a webhook.
    const learnt = [
      'parley_redis_errors_total',
      'parley_dynamodb_errors_total',
      'parley_webhook_failures_total',
      'parley_webhook_given_up_total',
    ]
    expect([...new Set(missing.map(([, name]) => name))].filter((name) => !learnt.includes(name ?? ''))).toEqual([])
  })
})

describe('a number moves', () => {
  it('with a message: sent on one node, delivered on the other', async () => {
    const [alice, bob] = await chatters()
    const attached = await numberOf('parley_attached_streams', {}, 1)
    const atBob = bob.follow()
    await world.online(bob)
    expect(await numberOf('parley_attached_streams', {}, 1)).toBe(attached + 1)
    expect(await numberOf('parley_sockets', {}, 1)).toBeGreaterThan(0)
    await rises(
      [
        { name: 'parley_send_duration_seconds_count', by: 1 },
        { name: 'parley_operations_total', labels: { type: 'mutation', transport: 'http', code: 'OK' }, by: 1 },
        { name: 'parley_delivery_latency_seconds_count', node: 1, by: 1 },
        { name: 'parley_deliveries_total', labels: { kind: 'live' }, node: 1, by: 1 },
        { name: 'parley_redis_duration_seconds_count', labels: { operation: 'events.ring' }, by: 1 },
        { name: 'parley_dynamodb_capacity_units_total', labels: { table: 'messages', kind: 'write' }, by: 1 },
      ],
      async () => {
        await alice.send(bob, 'one')
        await atBob.receives(1)
      },
    )
    expect(await numberOf('parley_dynamodb_duration_seconds_count', { operation: 'PutItem' })).toBeGreaterThan(0)
    expect(await numberOf('parley_dynamodb_capacity_units_total', { kind: 'read' }, 1)).toBeGreaterThan(0)
    await rises([{ name: 'parley_attached_streams', node: 1, by: -1 }], () => atBob.stop())
  })

  it('with a retry, and with another message under the same id', async () => {
    const [alice, bob] = await chatters()
    await alice.send(bob, 'one', { clientMessageId: 'same' })
    await rises(
      [
        { name: 'parley_duplicates_total', labels: { kind: 'message' }, by: 1 },
        { name: 'parley_idempotency_conflicts_total', by: 1 },
      ],
      async () => {
        await alice.send(bob, 'one', { clientMessageId: 'same' })
        await expect(alice.send(bob, 'two', { clientMessageId: 'same' })).rejects.toMatchObject({
          code: 'IDEMPOTENCY_CONFLICT',
        })
      },
    )
  })

  it('with a stream that has something to catch up with', async () => {
    const [alice, bob] = await chatters()
    for (const body of ['one', 'two', 'three']) await alice.send(bob, body)
    let atBob: ReturnType<Person['follow']> | undefined
    await rises(
      [
        { name: 'parley_catch_up_messages_count', node: 1, by: 1 },
        { name: 'parley_catch_up_messages_sum', node: 1, by: 3 },
        { name: 'parley_catch_up_seconds_count', node: 1, by: 1 },
        { name: 'parley_deliveries_total', labels: { kind: 'catch_up' }, node: 1, by: 3 },
      ],
      async () => {
        atBob = bob.follow()
        await world.online(bob)
      },
    )
    await atBob?.stop()
  })

  it('with a hole in the numbers, which the reader voids', async () => {
    const [alice, bob, chat] = await chatters()
    const atBob = bob.follow()
    await world.online(bob)
    await alice.send(bob, 'one')
    await rises(
      [
        { name: 'parley_voids_total', labels: { by: 'reader' }, node: 1, by: 1 },
        // The reason is the hole, or a periodic resync that came just then.
        { name: 'parley_resyncs_total', labels: { stream: 'messages' }, node: 1, by: 1 },
      ],
      async () => {
        // A node that dies after reserving leaves this.
        await partsOf(0).ports.sequencer.reserveAbove(chat, 1)
        await alice.send(bob, 'three')
        await atBob.receives(2)
      },
    )
    await atBob.stop()
  })

  it('with a message that nobody published, found by the periodic resync', async () => {
    const [alice, bob, chat] = await chatters()
    const atBob = bob.follow()
    await world.online(bob)
    await alice.send(bob, 'one')
    await atBob.receives(1)
    const { ports, domain } = partsOf(1)
    await rises(
      [{ name: 'parley_resyncs_total', labels: { stream: 'messages', reason: 'beat' }, node: 1, by: 1 }],
      async () => {
        const [last] = await ports.messages.below(chat, 2, 1)
        if (last?.kind !== 'message') expect.fail()
        await ports.messages.put({ ...last, seq: 2, body: 'unrung' })
        await seedCounter(ports.sequencer, chat, 2)
        domain.resyncScheduler.resyncAll()
        await atBob.receives(2)
      },
    )
    await atBob.stop()
  })

  it('with a link to Redis that was lost', async () => {
    const [alice, bob] = await chatters()
    const atBob = bob.follow()
    await world.online(bob)
    await rises(
      [{ name: 'parley_resyncs_total', labels: { stream: 'messages', reason: 'lost' }, node: 1, by: 1 }],
      async () => {
        await world.redis.killSubscribers()
        await alice.send(bob, 'one')
        await atBob.receives(1)
      },
    )
    await atBob.stop()
  })

  it('with a reader that takes nothing', async () => {
    const [alice, bob, chat] = await chatters()
    await alice.send(bob, 'one')
    const { ports, domain } = partsOf(0)
    const [entry] = await ports.messages.below(chat, 2, 1)
    if (entry?.kind !== 'message') expect.fail()
    const stream = await domain.follow({ userId: bob.userId as UserId, after: [] })
    await rises([{ name: 'parley_queue_overflows_total', labels: { stream: 'messages' }, by: 1 }], async () => {
      for (let count = 0; count < 257; count += 1)
        await ports.events.publishEntry({ entry, members: [bob.userId as UserId] })
    })
    await stream.return?.()
  })

  it('with what the backend says about a message', async () => {
    const [alice, bob] = await chatters()
    const decided = (decision: string) => ({ name: 'parley_pre_send_decisions_total', labels: { decision }, by: 1 })
    await rises(
      [
        decided('allow'),
        decided('deny'),
        decided('replace'),
        { name: 'parley_pre_send_failures_total', labels: { reason: 'status' }, by: 1 },
        { name: 'parley_pre_send_duration_seconds_count', by: 4 },
      ],
      async () => {
        await alice.send(bob, 'one')
        backend.says({ decision: 'deny' })
        await expect(alice.send(bob, 'two')).rejects.toMatchObject({ code: 'FORBIDDEN' })
        backend.says({ decision: 'replace', body: '3' })
        await alice.send(bob, 'three')
        backend.says((response) => void response.writeHead(500).end())
        await alice.send(bob, 'four')
      },
    )
    backend.reset()
  })

  it('with an identity provider that is away', async () => {
    await expect.poll(() => numberOf('parley_auth_keys')).toBe(1)
    provider.answers((response) => void response.writeHead(503).end())
    const token = await provider.sign('k2')
    await rises([{ name: 'parley_auth_key_fetch_failures_total', labels: { reason: 'status' }, by: 1 }], () =>
      fetch(`${world.url()}/graphql?query={me{id}}`, { headers: { authorization: `Bearer ${token}` } }),
    )
    expect(await numberOf('parley_auth_keys')).toBe(1)
    provider.answers()
  })

  it('with DynamoDB away', async () => {
    const [alice, bob] = await chatters()
    const before = await numberOf('parley_dynamodb_errors_total')
    dynamodb.refuse()
    await expect(alice.send(bob, 'one')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    dynamodb.pass()
    expect(await numberOf('parley_dynamodb_errors_total')).toBeGreaterThan(before)
    expect(await numberOf('parley_operations_total', { code: 'UNAVAILABLE' })).toBeGreaterThan(0)
  })

  it('with Redis away, and back', { timeout: 60_000 }, async () => {
    const [alice, bob] = await chatters()
    await alice.send(bob, 'before')
    const before = await numberOf('parley_redis_errors_total')
    expect(await numberOf('parley_redis_connected')).toBe(2)
    await world.redis.kill()
    await expect(alice.send(bob, 'one')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await expect.poll(() => numberOf('parley_redis_connected')).toBe(0)
    expect(await numberOf('parley_redis_errors_total')).toBeGreaterThan(before)
    await world.redis.launch()
    await expect.poll(() => numberOf('parley_redis_connected'), { timeout: 20_000 }).toBe(2)
  })
})

it('each outcome that alarms count is there for each that went well', async () => {
  const [alice, bob] = await chatters()
  for (const via of ['http', 'ws', 'rest'] as const) await alice.send(bob, via, { via })
  const series = (await rendered()).split('\n').filter((line) => line.startsWith('parley_operations_total{'))
  const known = new Set(series.map((line) => line.slice(0, line.lastIndexOf(' '))))
  const wanted = [...known]
    .filter((line) => line.includes('"OK"'))
    .flatMap((line) => ['INTERNAL', 'UNAVAILABLE', 'UNAUTHENTICATED'].map((code) => line.replace('"OK"', `"${code}"`)))
  expect(wanted.length).toBeGreaterThanOrEqual(9)
  expect(wanted.filter((line) => !known.has(line))).toEqual([])
})

describe('what whoever is on call looks at', () => {
  const file = (path: string) => readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), 'utf8')
  const dashboard = JSON.parse(file('deploy/grafana/dashboard.json')) as Dashboard
  const alerts = file('deploy/prometheus/alerts.yml')
  const docs = file('docs/operations.md')

  /** Returns the type of each metric, by name. */
  const metrics = async () =>
    new Map([...(await rendered()).matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]))

  /** Returns every name that a query may use. */
  async function series(): Promise<Set<string>> {
    const all = [...(await metrics())].flatMap(([name, type]) =>
      type === 'histogram' ? ['_bucket', '_sum', '_count'].map((suffix) => `${name}${suffix}`) : [name],
    )
    return new Set(all)
  }

  const namesIn = (text: string): string[] => [
    ...new Set([...text.matchAll(/\b(?:parley|nodejs|process)_[a-z0-9_]+/g)].map(([name]) => name)),
  ]

  it('asks only for what a node has: every query of the dashboard', async () => {
    const known = await series()
    const queries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    const variables = dashboard.templating.list.map((variable) => JSON.stringify(variable))
    expect(namesIn([...queries, ...variables].join('\n')).filter((name) => !known.has(name))).toEqual([])
  })

  it('and every rule of the alarms', async () => {
    const known = await series()
    expect(namesIn(alerts).filter((name) => !known.has(name))).toEqual([])
    const { groups } = parse(alerts) as { groups: { rules: Rule[] }[] }
    const rules = groups.flatMap((group) => group.rules)
    for (const rule of rules) {
      expect(rule).toEqual({
        alert: expect.stringMatching(/^Parley\w+$/),
        expr: expect.stringMatching(/ (>|<|==) /),
        ...(rule.for !== undefined && { for: expect.stringMatching(/^\d+[mh]$/) }),
        ...(rule.keep_firing_for !== undefined && { keep_firing_for: expect.stringMatching(/^\d+m$/) }),
        labels: { severity: expect.stringMatching(/^(page|ticket)$/) },
        annotations: { summary: expect.any(String), runbook_url: expect.any(String) },
      })
    }
  })

  it('and the docs list every metric of ours, with its type', async () => {
    const listed = [...docs.matchAll(/^\| `(parley_\w+)` \| (\w+) \|/gm)].map(([, name, type]) => `${name} ${type}`)
    const ours = [...(await metrics())].filter(([name]) => name.startsWith('parley_')).map((entry) => entry.join(' '))
    expect([...listed].sort()).toEqual(ours.sort())
  })

  it('has the shape that Grafana imports', () => {
    expect(dashboard).toMatchObject({ title: 'Parley', uid: 'parley', schemaVersion: expect.any(Number) })
    expect(dashboard.templating.list.map(({ name, type }) => [name, type])).toEqual([
      ['datasource', 'datasource'],
      ['node', 'query'],
    ])
    const { panels } = dashboard
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    const rows = panels.filter(({ type }) => type === 'row').map(({ title }) => title)
    expect(rows).toEqual(['Traffic', 'Latency', 'Delivery', 'Backends', 'Capacity', 'Process'])
    for (const { type, title, gridPos, targets } of panels) {
      expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24)
      if (type === 'row') continue
      expect(targets?.length, title).toBeGreaterThan(0)
      expect(new Set(targets?.map(({ refId }) => refId)).size, title).toBe(targets?.length)
    }
    const overlapping = panels.flatMap((one, i) =>
      panels.slice(i + 1).flatMap((other) => (overlap(one.gridPos, other.gridPos) ? [[one.title, other.title]] : [])),
    )
    expect(overlapping).toEqual([])
  })
})

type Rule = { alert: string; for?: string; keep_firing_for?: string }
type Place = { x: number; y: number; w: number; h: number }
type Panel = { id: number; type: string; title: string; gridPos: Place; targets?: { refId: string; expr: string }[] }
type Dashboard = { panels: Panel[]; templating: { list: { name: string; type: string }[] } }

const overlap = (one: Place, other: Place): boolean =>
  one.x < other.x + other.w && other.x < one.x + one.w && one.y < other.y + other.h && other.y < one.y + one.h
