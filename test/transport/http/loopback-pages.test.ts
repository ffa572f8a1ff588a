// Pages of a frontend's own development server, such as http://localhost:5173.

import { once } from 'node:events'
import { request } from 'node:http'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { type Started, type StartOptions, start } from '../kit.ts'

const vite = 'http://localhost:5173'
const json = { 'content-type': 'application/json' }
const query = JSON.stringify({ query: '{ __typename }' })
const userId = '{"userId":"alice"}'

const development: StartOptions = { development: true }

/** What a browser does for a page: it asks, and sends only what it may. Returns the status the page sees. */
async function fromPage(server: Started, origin: string, path: string, body: string): Promise<number | 'refused'> {
  const asks = { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' }
  const preflight = await fetch(`${server.url}${path}`, { method: 'OPTIONS', headers: asks })
  const mayAsk = preflight.headers.get('access-control-allow-headers') === 'content-type' && preflight.ok
  if (!mayAsk || preflight.headers.get('access-control-allow-origin') !== origin) return 'refused'
  const answer = await fetch(`${server.url}${path}`, { method: 'POST', headers: { origin, ...json }, body })
  return answer.headers.get('access-control-allow-origin') === origin ? answer.status : 'refused'
}

async function upgrade(server: Started, origin: string): Promise<number> {
  const socket = new WebSocket(server.wsUrl, ['graphql-transport-ws'], { headers: { origin } })
  const status = await Promise.race([
    once(socket, 'open').then(() => 101),
    once(socket, 'unexpected-response').then(([, { statusCode }]) => statusCode as number),
  ])
  socket.on('error', () => undefined).terminate()
  return status
}

const doors = async (server: Started, origin: string) => ({
  graphql: await fromPage(server, origin, '/graphql', query),
  token: await fromPage(server, origin, '/dev/token', userId),
  socket: await upgrade(server, origin),
})

const open = { graphql: 200, token: 200, socket: 101 }
const shut = { graphql: 'refused', token: 'refused', socket: 403 }

test.each([vite, 'http://127.0.0.1:3000', 'http://[::1]:8080', 'https://localhost', 'http://LOCALHOST:5173'])(
  'in development mode a page of %s uses GraphQL, sockets and tokens',
  async (origin) => {
    expect(await doors(await start(development), origin)).toEqual(open)
  },
)

test.each([
  'http://localhost.evil.example:5173',
  'http://evil.example:5173',
  'http://127.0.0.1.evil.example',
  'http://evil@localhost:5173',
  'http://localhost:5173/',
  'http://localhost.:5173',
  'ftp://localhost:5173',
  'http://192.168.1.7:5173',
  'null',
])('in development mode a page of %s uses none of them', async (origin) => {
  expect(await doors(await start(development), origin)).toEqual(shut)
})

test('with an auth setting, pages of this machine are like all others', async () => {
  const { graphql, socket } = await doors(await start(), vite)
  expect({ graphql, socket }).toEqual({ graphql: 'refused', socket: 403 })
})

test('a development mode that others can reach allows no pages but its own', async () => {
  const server = await start({ ...development, env: { HOST: '0.0.0.0' } })
  expect(await doors(server, vite)).toEqual(shut)
})

test('a page of ALLOWED_ORIGINS gets no tokens from development mode', async () => {
  const server = await start({ ...development, env: { ALLOWED_ORIGINS: 'https://chat.example' } })
  expect(await doors(server, 'https://chat.example')).toEqual({ ...open, token: 'refused' })
})

test('a name of the internet that points at this machine gets no tokens, whatever page asks', async () => {
  const server = await start(development)
  const asked = request(`${server.url}/dev/token`, {
    method: 'POST',
    headers: { ...json, origin: vite, host: 'evil.example' },
  })
  asked.end(userId)
  const [response] = await once(asked, 'response')
  response.resume()
  expect(response.statusCode).toBe(403)
})

const refusalsIn = ({ lines }: Started) => lines.filter(({ setting }) => setting === 'ALLOWED_ORIGINS')

test('a refused origin is logged once, with the name of the setting', async () => {
  const server = await start()
  await fromPage(server, vite, '/graphql', query)
  await upgrade(server, vite)
  await fetch(`${server.url}/messages`, { method: 'POST', headers: { ...json, origin: vite }, body: '{}' })
  await upgrade(server, 'https://other.example')
  await upgrade(server, `http://127.0.0.1:${server.port}`)
  expect(refusalsIn(server)).toMatchObject([{ level: 40, origin: vite }, { origin: 'https://other.example' }])
})

test('whoever makes up origins fills neither the log nor the memory', async () => {
  const server = await start()
  const headers = { 'access-control-request-method': 'POST' }
  for (let number = 0; number < 150; number += 1) {
    const origin = `https://${number}.example/${'x'.repeat(1000)}`
    await fetch(`${server.url}/graphql`, { method: 'OPTIONS', headers: { ...headers, origin } })
  }
  expect(refusalsIn(server)).toHaveLength(100)
  expect(refusalsIn(server).every(({ origin }) => String(origin).length <= 200)).toBe(true)
  expect(server.lines.at(-1)).toMatchObject({ msg: expect.stringContaining('no further origin is logged') })
})
