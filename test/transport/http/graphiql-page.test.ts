import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { type Started, start } from '../kit.ts'

type Headers = Record<string, string>

/** As bytes, as they come over the wire. */
function get(server: Started, path: string, headers: Headers = {}) {
  return new Promise<{ status: number; headers: Headers; bytes: Buffer }>((resolve, reject) => {
    const asked = request(`${server.url}${path}`, { headers: { ...headers, connection: 'close' } }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      const { statusCode = 0, headers } = response
      response.on('end', () =>
        resolve({ status: statusCode, headers: headers as Headers, bytes: Buffer.concat(chunks) }),
      )
    })
    asked.on('error', reject).end()
  })
}

const html = { accept: 'text/html' }
const getPage = (server: Started, headers: Headers = {}) => get(server, '/graphql', { ...html, ...headers })

async function assetsOf(server: Started): Promise<string[]> {
  const page = (await getPage(server)).bytes.toString()
  return [...page.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path = '']) => path)
}

test('the page is small, and what it loads comes from this server under names that change with the content', async () => {
  const server = await start({ development: true })
  const { bytes } = await getPage(server)
  expect(bytes.length).toBeLessThan(50_000)
  expect(bytes.toString()).toMatch(/^<!doctype html>[\s\S]*<\/html>\s*$/)
  expect(await assetsOf(server)).toEqual([
    expect.stringMatching(/^\/graphiql\.css\?v=[\w-]{16}$/),
    expect.stringMatching(/^\/graphiql\.js\?v=[\w-]{16}$/),
  ])
})

test.each([
  ['br, gzip, deflate', 'br', brotliDecompressSync],
  ['gzip, deflate', 'gzip', gunzipSync],
  ['GZIP;q=0.5, br;q=0', 'gzip', gunzipSync],
  ['identity', undefined, (bytes: Buffer) => bytes],
])('everything is sent as %s allows', async (accepted, encoding, decode) => {
  const server = await start()
  const paths = await assetsOf(server)
  for (const path of ['/graphql', ...paths]) {
    const plain = await get(server, path, html)
    const { status, headers, bytes } = await get(server, path, { ...html, 'accept-encoding': accepted })
    expect([path, status, headers['content-encoding'], headers.vary]).toEqual([path, 200, encoding, 'accept-encoding'])
    expect(decode(bytes).equals(plain.bytes)).toBe(true)
    if (encoding && path !== '/graphql') expect(bytes.length).toBeLessThan(plain.bytes.length / 1.5)
  }
})

test('scripts and styles are kept for ever; a name of another release is not', async () => {
  const server = await start()
  for (const path of await assetsOf(server)) {
    const { headers } = await get(server, path)
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
    const other = await get(server, path.replace(/v=.*/, 'v=another'))
    expect([other.status, other.headers['cache-control']]).toEqual([200, 'no-cache'])
  }
})

test('the page is asked for again each time, and sent again only if it has changed', async () => {
  const server = await start()
  const { headers } = await getPage(server)
  expect(headers['cache-control']).toBe('private, no-cache')
  const again = await getPage(server, { 'if-none-match': headers.etag ?? '' })
  expect([again.status, again.headers.etag, again.bytes.length]).toEqual([304, headers.etag, 0])
  expect((await getPage(server, { 'if-none-match': '"another"' })).status).toBe(200)
})

test('a page with other tokens is another page', async () => {
  let visit = 0
  const devTokens = { issue: async (userId: string) => `eyJ.${userId}.${++visit}` }
  const server = await start({ development: true, devTokens })
  const { headers } = await getPage(server)
  expect((await getPage(server, { 'if-none-match': headers.etag ?? '' })).status).toBe(200)
})

test('where GraphiQL is not served, there is nothing to load either', async () => {
  const server = await start({ env: { GRAPHIQL: 'false' } })
  for (const path of ['/graphiql.js', '/graphiql.css']) expect((await get(server, path)).status).toBe(404)
})

test('the page is cut as this release of render-graphiql writes it; after an upgrade, compare graphiql-parts.ts with its page', () => {
  const manifest = new URL('../../../node_modules/@graphql-yoga/render-graphiql/package.json', import.meta.url)
  expect(JSON.parse(readFileSync(manifest, 'utf8')).version).toBe('5.24.1')
})
