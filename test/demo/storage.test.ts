import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { indexedDbStorage } from '../../packages/client/src/storage/indexed-db-storage.ts'
import type { Storage } from '../../packages/client/src/storage/storage.ts'
import { connectBrowser } from '../kit/browser.ts'

declare const runtime: { indexedDbStorage: typeof indexedDbStorage }

let browser: Browser
let script: string

beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../../packages/client/src/storage/indexed-db-storage.ts', import.meta.url))],
    bundle: true,
    format: 'iife',
    globalName: 'runtime',
    write: false,
  })
  script = outputFiles[0]?.text ?? ''
  browser = await connectBrowser()
})
afterAll(() => browser?.close())

/** A browser profile with an empty page, and nothing behind it. */
async function newProfile(): Promise<BrowserContext> {
  const context = await browser.newContext()
  onTestFinished(() => context.close())
  await context.route('**', (route) =>
    route.fulfill({ contentType: 'text/html', body: `<!doctype html><script>${script}</script>` }),
  )
  return context
}

async function newTab(context: BrowserContext): Promise<Page> {
  const page = await context.newPage()
  await page.goto('http://parley.example/')
  return page
}

/** The storage of a tab, from here. */
async function storageIn(page: Page): Promise<Required<Storage>> {
  const storage = await page.evaluateHandle(() => runtime.indexedDbStorage('parley:alice'))
  return {
    load: () => storage.evaluate((it) => it.load()),
    write: (changes) => storage.evaluate((it, entries) => it.write(new Map(entries)), [...changes]),
    close: () => storage.evaluate((it) => it.close?.()),
  }
}

const changes = (entries: Record<string, unknown>) => new Map(Object.entries(entries))
const everything = async (storage: Storage) => Object.fromEntries(await storage.load())

test('what is kept in IndexedDB is there after a reload, as it was', async () => {
  const page = await newTab(await newProfile())
  const storage = await storageIn(page)
  expect(await storage.load()).toEqual([])
  const value = { to: { userId: 'bob' }, body: 'ü\u{1F600}"\n', createdAtMs: 1, state: 'waiting' }
  await storage.write(changes({ 'outbox:1': value, 'position:dm_1': 7, device: true }))
  await page.reload()
  expect(await everything(await storageIn(page))).toEqual({ 'outbox:1': value, 'position:dm_1': 7, device: true })
})

test('it is changed key by key, by any tab', async () => {
  const profile = await newProfile()
  const one = await storageIn(await newTab(profile))
  const other = await storageIn(await newTab(profile))
  await one.write(changes({ a: 1, b: 1, c: 1 }))
  await other.write(changes({ a: 2, b: undefined, d: undefined }))
  expect(await everything(one)).toEqual({ a: 2, c: 1 })
  await Promise.all([one.write(changes({ e: 'one' })), other.write(changes({ f: 'other' }))])
  expect(await everything(other)).toEqual({ a: 2, c: 1, e: 'one', f: 'other' })
})

test('closed, it stands in nobody’s way; asked again, it is open again', async () => {
  const page = await newTab(await newProfile())
  const storage = await storageIn(page)
  await storage.write(changes({ a: 1 }))
  await storage.close()
  await storage.close()
  expect(await everything(storage)).toEqual({ a: 1 })
  await storage.close()
  const deleted = await page.evaluate(
    () =>
      new Promise((resolve) => {
        const request = indexedDB.deleteDatabase('parley:alice')
        request.onsuccess = () => resolve('deleted')
        request.onblocked = () => resolve('blocked')
      }),
  )
  expect(deleted).toBe('deleted')
  expect(await storage.load()).toEqual([])
})
