import { once } from 'node:events'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import { signToken } from '../../kit/person.ts'
import { createService } from '../../kit/service.ts'
import { startWorld, type World } from '../../kit/world.ts'

// The door for backends: who comes in, over what, and what is written down.

const lines: Record<string, unknown>[] = []
let world: World
beforeAll(async () => {
  const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  world = await startWorld({ app: { logger } })
})
afterAll(() => world.stop())

const post = (path: string, token?: string, headers: Record<string, string> = {}) =>
  fetch(`${world.url()}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }), ...headers },
    body: JSON.stringify({ query: '{ __typename }' }),
  })

describe('POST /admin/graphql', () => {
  it.each([
    ['application/json', {}],
    ['application/graphql-response+json', {}],
    ['text/event-stream', {}],
  ])('tells by its status who may not come in, whatever is accepted: %s', async (accept) => {
    const of = async (token?: string) => (await post('/admin/graphql', token, { accept })).status
    expect(await of()).toBe(401)
    expect(await of('not.a.token')).toBe(401)
    expect(await of(await signToken('alice'))).toBe(404)
    expect(await of(await signToken('billing', { scope: 'mail calendar' }))).toBe(403)
    expect(await of(await signToken('billing', { scope: '' }))).toBe(403)
    expect(await of(await signToken('billing', { scope: 'parley:administrator' }))).toBe(403)
  })

  it('answers a service, whose scope may hold other things too', async () => {
    const answer = await post('/admin/graphql', await signToken('billing', { scope: 'mail parley:admin' }))
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual({ data: { __typename: 'Query' } })
  })

  it('tells a user the same as a path that does not exist', async () => {
    const token = await signToken('alice')
    const [here, nowhere] = [await post('/admin/graphql', token), await post('/admin/nothing', token)]
    expect(await here.json()).toEqual(await nowhere.json())
    expect([here.status, here.headers.get('content-type')]).toEqual([
      nowhere.status,
      nowhere.headers.get('content-type'),
    ])
  })

  it('tells the others in the words of GraphQL', async () => {
    const anonymous = await post('/admin/graphql')
    expect(await anonymous.json()).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] })
    expect(anonymous.headers.get('www-authenticate')).toBe('Bearer')
    const unscoped = await post('/admin/graphql', await signToken('billing', { scope: 'mail' }))
    expect(await unscoped.json()).toMatchObject({ errors: [{ extensions: { code: 'FORBIDDEN', retryable: false } }] })
  })

  it('has the limits of documents, bodies and origins that the public API has', async () => {
    const { token } = await createService('billing', world.url())
    const deep = `{ conversationsOf(userId: "a") { edges { node { members { ${'userId '.repeat(20_000)} } } } } }`
    const body = JSON.stringify({ query: deep })
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
    const tooLarge = await fetch(`${world.url()}/admin/graphql`, { method: 'POST', headers, body })
    expect(tooLarge.status).toBe(413)
    expect((await post('/admin/graphql', token, { origin: 'https://elsewhere.example' })).status).toBe(403)
    const expensive = `{ ${Array.from({ length: 40 }, (_, i) => `a${i}: conversationsOf(userId: "a", first: 100) { edges { node { id members { userId } } } }`).join(' ')} }`
    const service = await createService('billing', world.url())
    await expect(service.ask(expensive)).rejects.toMatchObject({ code: 'QUERY_TOO_COMPLEX' })
  })
})

describe('WebSocket /admin/graphql', () => {
  /** Resolves with the code that closes the socket. */
  async function closeOf(token?: string): Promise<number> {
    const socket = new WebSocket(`${world.url().replace('http', 'ws')}/admin/graphql`, 'graphql-transport-ws')
    await once(socket, 'open')
    const payload = token === undefined ? {} : { authorization: `Bearer ${token}` }
    socket.send(JSON.stringify({ type: 'connection_init', payload }))
    const [code] = (await once(socket, 'close')) as [number]
    return code
  }

  it('closes the sockets of all others with 4403', async () => {
    const tokens = [undefined, 'not.a.token', await signToken('alice'), await signToken('billing', { scope: 'mail' })]
    expect(await Promise.all(tokens.map(closeOf))).toEqual([4403, 4403, 4403, 4403])
  })

  it('answers a service', async () => {
    const service = await createService('billing', world.url())
    expect(await service.ask('{ __schema { queryType { name } } }', {}, 'ws')).toEqual({
      __schema: { queryType: { name: 'Query' } },
    })
  })
})

it('leaves /graphql as it is: a service’s token is a token like any other there', async () => {
  expect((await post('/graphql', await signToken('billing', { scope: 'parley:admin' }))).status).toBe(200)
})

it('writes one line for each mutation, which quotes no text', async () => {
  const service = await createService('auditor', world.url())
  const input = { reportId: 'rep_1', resolution: 'a secret word' }
  const mutation = 'mutation ($input: ResolveReportInput!) { resolveReport(input: $input) { report { id } } }'
  await expect(service.ask(mutation, { input })).rejects.toThrow()
  const written = lines.filter(({ msg, service: by }) => msg === 'audit' && by === 'auditor')
  expect(written).toEqual([
    expect.objectContaining({ mutation: 'resolveReport', ids: { reportId: 'rep_1' }, outcome: 'NOT_FOUND' }),
  ])
  expect(JSON.stringify(lines)).not.toContain('secret word')
  const metrics = await (await fetch(`${world.url()}/metrics`)).text()
  expect(metrics).toContain('parley_admin_mutations_total{mutation="resolveReport",outcome="NOT_FOUND"}')
})
