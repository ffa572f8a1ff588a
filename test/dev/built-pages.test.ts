import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findConsole } from '../../src/dev/console.ts'
import { findDemo } from '../../src/dev/demo.ts'
import type { Routes } from '../../src/transport/http/http.ts'

async function built(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'parley-demo-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  await mkdir(join(directory, 'assets'))
  await writeFile(join(directory, 'index.html'), '<!doctype html><title>Parley</title><body></body>')
  await writeFile(join(directory, 'assets', 'index-abc.js'), 'export {}')
  await writeFile(join(directory, 'assets', 'notes.txt'), 'not for the web')
  return directory
}

const get = async (directory: string, path: string, headers?: Record<string, string>) =>
  serve(await findDemo([directory]), path, headers)

/** What is served at a path, with the headers. */
async function serve(routes: Routes, path: string, headers: Record<string, string> = {}) {
  const exchange = { requestId: 'one', head: [] }
  const server = createServer(
    (request, response) => void routes[path]?.GET?.({ ...exchange, request, response }),
  ).listen(0)
  onTestFinished(() => void server.close())
  return fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, { headers, redirect: 'manual' })
}

test('every file has its path, and the page is at /', async () => {
  expect(Object.keys(await findDemo([await built()])).sort()).toEqual(['/', '/assets/index-abc.js'])
})

test('the first place that has it counts; nowhere, there is none', async () => {
  expect(Object.keys(await findDemo(['/nowhere', await built()]))).toContain('/')
  expect(await findDemo(['/nowhere'])).toEqual({})
})

test('the page is asked for each time, and may load nothing from elsewhere', async () => {
  const page = await get(await built(), '/')
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(page.headers.get('cache-control')).toBe('no-cache')
  expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/)
  expect(await page.text()).toContain('<title>Parley</title>')
})

test('the service worker is asked for each time, as a script for the whole page; pictures are what they are', async () => {
  const directory = await built()
  await writeFile(join(directory, 'sw.js'), '"worker"')
  await writeFile(join(directory, 'assets', 'icon-abc.png'), 'png')
  const worker = await get(directory, '/sw.js')
  expect(worker.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  expect(worker.headers.get('cache-control')).toBe('no-cache')
  expect((await get(directory, '/assets/icon-abc.png')).headers.get('content-type')).toBe('image/png')
})

test('an asset is kept for ever, and comes zipped to whoever can read that', async () => {
  const directory = await built()
  const plain = await get(directory, '/assets/index-abc.js', { 'accept-encoding': 'identity' })
  expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect(plain.headers.get('content-encoding')).toBeNull()
  expect(await plain.text()).toBe('export {}')
  const zipped = await get(directory, '/assets/index-abc.js', { 'accept-encoding': 'gzip' })
  expect(zipped.headers.get('content-encoding')).toBe('gzip')
  expect(await zipped.text()).toBe('export {}')
})

test('the console is at /admin with its assets below, and may load nothing from elsewhere', async () => {
  const routes = await findConsole({ devTokens: false }, [await built()])
  expect(Object.keys(routes).sort()).toEqual(['/admin', '/admin/', '/admin/assets/index-abc.js'])
  const page = await serve(routes, '/admin')
  expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/)
  expect(await (await serve(routes, '/admin/assets/index-abc.js')).text()).toBe('export {}')
  const slashed = await serve(routes, '/admin/')
  expect([slashed.status, slashed.headers.get('location')]).toEqual([308, '/admin'])
})

test('the console offers tokens of development mode there alone, with the warning that goes with it', async () => {
  const directory = await built()
  const pages = [{ devTokens: false }, { devTokens: true, developmentWarning: 'Open to $1 and < others' }].map(
    async (options) => (await serve(await findConsole(options, [directory]), '/admin')).text(),
  )
  const [production, development] = await Promise.all(pages)
  expect(production).toContain('<body></body>')
  expect(development).toMatch(/<body data-dev-tokens><p role="alert".*Open to \$1 and &#60; others/)
})

test('no file is read before the page is asked for, and all files are read with it', async () => {
  const directory = await built()
  const routes = await findConsole({ devTokens: false }, [directory])
  await writeFile(join(directory, 'index.html'), '<title>Later</title>')
  expect(await (await serve(routes, '/admin')).text()).toBe('<title>Later</title>')
  await rm(join(directory, 'assets'), { recursive: true })
  expect(await (await serve(routes, '/admin/assets/index-abc.js')).text()).toBe('export {}')
})
