import { expect, onTestFinished, test, vi } from 'vitest'
import { createAuthenticate } from '../../../src/transport/auth/auth.ts'
import { createKeySet, type KeyFetchObserver, refreshMs } from '../../../src/transport/auth/key-set.ts'
import { type IdentityProvider, startIdentityProvider } from '../../kit/services/identity-provider.ts'
import { createManualClock, openSocket, post, start } from '../kit.ts'

const unauthenticated = { code: 'UNAUTHENTICATED' }
const unavailable = { code: 'UNAVAILABLE' }
const dayMs = 24 * 3600_000

async function aProvider(...kids: string[]): Promise<IdentityProvider> {
  const provider = await startIdentityProvider(...kids)
  onTestFinished(() => provider.stop())
  return provider
}

/** Tokens are checked as a node checks them, by a clock that the test sets. `fetched` resolves with the next fetch, and what it failed with. */
async function aNode(provider: IdentityProvider) {
  const clock = createManualClock()
  const waiting = new Set<(failure: Parameters<KeyFetchObserver>[0]) => void>()
  const observer: KeyFetchObserver = (failure) => {
    for (const resolve of waiting) resolve(failure)
    waiting.clear()
  }
  const fetched = () => new Promise<Parameters<KeyFetchObserver>[0]>((resolve) => waiting.add(resolve))
  const keySet = createKeySet({ url: provider.url, clock, observer })
  const authenticate = createAuthenticate({}, clock, { keySet })
  const first = fetched()
  keySet.start()
  onTestFinished(() => keySet.stop())
  await first
  return {
    clock,
    keySet,
    fetched,
    check: async (token: string) => authenticate(`Bearer ${token}`),
    /** Lets the time pass after which the keys are fetched again. */
    async refreshed() {
      const next = fetched()
      await clock.advance(refreshMs)
      return next
    },
  }
}

test('keys are used for as long as the provider is away, and fetched again when it is back', async () => {
  const provider = await aProvider('k1')
  const [node, token] = [await aNode(provider), await provider.sign('k1', { exp: '10d' })]
  await provider.goAway()
  expect(await node.refreshed()).toEqual({ reason: 'connection', detail: expect.any(String) })
  await node.clock.sleeper(5000)
  const failedOnceMore = node.fetched()
  node.clock.leap(2 * dayMs)
  expect(await failedOnceMore).toMatchObject({ reason: 'connection' })
  expect(await node.check(token)).toMatchObject({ userId: 'alice' })
  await expect(node.check(await provider.sign('k2'))).rejects.toMatchObject(unavailable)
  await provider.addKey('k2')
  await provider.comeBack()
  // The node asks every five seconds while the provider is away.
  const fetched = node.fetched()
  await node.clock.advance(5000)
  expect(await fetched).toBeUndefined()
  expect(await node.check(await provider.sign('k2', { exp: '10d' }))).toMatchObject({ userId: 'alice' })
  expect(node.keySet.state()).toEqual({ keys: 2, ageMs: 0 })
})

test('a key that was withdrawn is refused a minute later, also for a token that was good a moment before', async () => {
  const provider = await aProvider('k1', 'k2')
  const [node, token] = [await aNode(provider), await provider.sign('k1')]
  expect(await node.check(token)).toMatchObject({ userId: 'alice' })
  provider.withdraw('k1')
  await node.clock.advance(refreshMs - 1)
  expect(await node.check(token)).toMatchObject({ userId: 'alice' })
  const fetched = node.fetched()
  await node.clock.advance(1)
  await fetched
  await expect(node.check(token)).rejects.toMatchObject(unauthenticated)
  expect(await node.check(await provider.sign('k2'))).toMatchObject({ userId: 'alice' })
})

test('a new key is fetched with the first token that has it', async () => {
  const provider = await aProvider('k1')
  const node = await aNode(provider)
  await expect(node.check(await provider.sign('k2'))).rejects.toMatchObject(unauthenticated)
  await provider.addKey('k2')
  expect(await node.check(await provider.sign('k2'))).toMatchObject({ userId: 'alice' })
  expect(await node.check(await provider.sign('k1'))).toMatchObject({ userId: 'alice' })
})

test('a key that was published while a fetch was under way is fetched once more', async () => {
  const provider = await aProvider('k1')
  const node = await aNode(provider)
  const before = await provider.sign('k1')
  let answer = () => undefined as unknown
  const asked = new Promise<void>((resolve) => {
    provider.answers((response) => {
      const keys = '{"keys":[]}'
      answer = () => response.end(keys)
      provider.answers()
      resolve()
    })
  })
  const refused = expect(node.check(await provider.sign('k3'))).rejects.toMatchObject(unauthenticated)
  await asked
  await provider.addKey('k2')
  const checked = provider.sign('k2').then(node.check)
  await vi.waitFor(() => expect(provider.requests()).toBe(2))
  answer()
  expect(await checked).toMatchObject({ userId: 'alice' })
  await refused
  expect(await node.check(before)).toMatchObject({ userId: 'alice' })
})

test('tokens with keys that nobody has bring five fetches, then one every five seconds; known keys go on', async () => {
  const provider = await aProvider('k1')
  const node = await aNode(provider)
  const flood = async () => {
    for (let i = 0; i < 20; i += 1) {
      await expect(node.check(await provider.sign(`none ${i}`))).rejects.toMatchObject(unauthenticated)
    }
  }
  const before = provider.requests()
  await flood()
  expect(provider.requests() - before).toBe(5)
  expect(await node.check(await provider.sign('k1'))).toMatchObject({ userId: 'alice' })
  await node.clock.advance(5000)
  await provider.addKey('k2')
  expect(await node.check(await provider.sign('k2'))).toMatchObject({ userId: 'alice' })
  await flood()
  expect(provider.requests() - before).toBe(6)
})

test.each([
  ['status', 'status 503', (response) => void response.writeHead(503).end('{"keys":[]}')],
  ['status', 'status 302', (response) => void response.writeHead(302, { location: '/' }).end()],
  ['invalid', 'not a JSON Web Key Set', (response) => void response.end('<html>')],
  ['invalid', 'not a JSON Web Key Set', (response) => void response.end('{"keys":{}}')],
  ['connection', expect.stringMatching(/ECONNRESET|UND_ERR_SOCKET/), (response) => void response.destroy()],
  ['timeout', 'no answer within 2000 ms', () => undefined],
] satisfies [string, string, Parameters<IdentityProvider['answers']>[0]][])(
  'an answer that is none leaves the keys as they are: %s, %s',
  async (reason, detail, answer) => {
    const provider = await aProvider('k1')
    const node = await aNode(provider)
    provider.answers(answer)
    expect(await node.refreshed()).toEqual({ reason, detail })
    expect(await node.check(await provider.sign('k1'))).toMatchObject({ userId: 'alice' })
    provider.answers()
    const fetched = node.fetched()
    await node.clock.advance(5000)
    expect(await fetched).toBeUndefined()
  },
)

test('a node that has never fetched the keys says UNAVAILABLE, and asks for them no more often than for unknown keys', async () => {
  const provider = await aProvider('k1')
  provider.answers((response) => void response.writeHead(500).end())
  const node = await aNode(provider)
  expect(node.keySet.state()).toEqual({ keys: 0, ageMs: undefined })
  const before = provider.requests()
  for (let i = 0; i < 20; i += 1) await expect(node.check(await provider.sign('k1'))).rejects.toMatchObject(unavailable)
  expect(provider.requests() - before).toBe(5)
})

test('a node is not ready before it has fetched the keys once, and stays ready when the provider goes away', async () => {
  const provider = await aProvider('k1')
  provider.answers((response) => void response.writeHead(500).end())
  const clock = createManualClock()
  const server = await start({ clock, env: { AUTH_JWKS_URL: provider.url } })
  const ready = async () => {
    const response = await fetch(`${server.url}/readyz`)
    return [response.status, await response.json()]
  }
  const backends = { redis: true, dynamodb: true }
  expect(await ready()).toEqual([503, { status: 'unavailable', ...backends, keys: false }])
  provider.answers()
  await vi.waitFor(async () => {
    await clock.advance(5000)
    expect(await ready()).toEqual([200, { status: 'ready', ...backends, keys: true }])
  })
  await provider.goAway()
  await clock.advance(2 * refreshMs)
  expect(await ready()).toEqual([200, { status: 'ready', ...backends, keys: true }])
})

test('a token that has expired a few seconds ago is accepted until the tolerance is over, and its socket is closed then', async () => {
  const provider = await aProvider('k1')
  const clock = createManualClock()
  const server = await start({ clock, env: { AUTH_JWKS_URL: provider.url } })
  const exp = clock.now() / 1000 + 10
  const authorization = `Bearer ${await provider.sign('k1', { exp })}`
  expect(await post(server, '{ me }', { authorization })).toMatchObject({ data: { me: 'alice' } })
  await clock.advance(14_000)
  expect(await post(server, '{ me }', { authorization })).toMatchObject({ data: { me: 'alice' } })
  const socket = await openSocket(server)
  await socket.init({ authorization })
  await clock.advance(1000)
  expect(await post(server, '{ me }', { authorization })).toMatchObject({ status: 401 })
  expect(await socket.closed()).toMatchObject({ code: 4403, reason: 'Token expired' })
})
