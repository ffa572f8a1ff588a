import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { connectBrowser } from '../kit/browser.ts'
import { freePort } from '../kit/free-port.ts'

// Both packages as npm packs them, installed into empty folders: what is in them, how many packages they bring, and whether they run.
// React, Vite and the compiler of today are linked from this repository, to save their installation.

const root = fileURLToPath(new URL('../..', import.meta.url))
const docs = readFileSync(join(root, 'docs/client.md'), 'utf8')
const oldestCompiler = 'typescript@5.4.5'

const run = promisify(execFile)
const running: ChildProcess[] = []
let place: string
let serverFolder: string
let appFolder: string
let browser: Browser
let server: string

/** Without what npm and Vitest have set for this run. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(npm_|VITEST|NODE_ENV$|NODE_PATH$)/.test(name)),
)

const npm = (folder: string, ...args: string[]) => run('npm', args, { cwd: folder, env: environment })

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'parley-packages-'))
  const [connected] = await Promise.all([connectBrowser(), packAndInstall()])
  browser = connected
  server = await startServer()
  // It builds everything and installs what a server needs: half a minute of two idle cores, and much more of busy ones.
}, 600_000)

afterAll(async () => {
  for (const child of running) child.kill('SIGTERM')
  await Promise.all([browser?.close(), ...running.map((child) => child.exitCode === null && once(child, 'exit'))])
  await rm(place, { recursive: true, force: true, maxRetries: 9 })
})

/** Packs a copy of the checkout: the dist of the checkout itself is left alone. */
async function packAndInstall(): Promise<void> {
  const checkout = join(place, 'checkout')
  const entries = [
    'package.json',
    'CHANGELOG.md',
    'README.md',
    'LICENSE',
    'src',
    'demo',
    'console',
    'packages',
    'scripts',
  ]
  const settings = ['tsconfig.json', 'tsconfig.build.json']
  const filter = (path: string) => !/[\\/](dist|node_modules)$/.test(path)
  await mkdir(checkout)
  for (const entry of [...entries, ...settings])
    await cp(join(root, entry), join(checkout, entry), { recursive: true, filter })
  await symlink(join(root, 'node_modules'), join(checkout, 'node_modules'))
  await npm(checkout, 'pack', '--pack-destination', place)
  await npm(join(checkout, 'packages', 'client'), 'pack', '--ignore-scripts', '--pack-destination', place)
  ;[serverFolder, appFolder] = await Promise.all([installed('parley-server'), installed('parley-client')])
  for (const name of ['react', 'react-dom', 'urql', 'vite', '@vitejs', '@types'])
    await symlink(join(root, 'node_modules', name), join(appFolder, 'node_modules', name))
}

async function tarballOf(name: string): Promise<string> {
  const [tarball = ''] = (await readdir(place)).filter((file) => file.startsWith(name) && file.endsWith('.tgz'))
  return join(place, tarball)
}

const installed = async (name: string) => install(name, await tarballOf(name))

async function install(name: string, ...what: string[]): Promise<string> {
  const folder = join(place, `with-${name}`)
  await mkdir(folder)
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  await npm(folder, 'install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error', ...what)
  return folder
}

/** Starts the server by its command, as `npx parley` does, in the folder it is installed in. */
async function startServer(): Promise<string> {
  const port = await freePort()
  start(join(serverFolder, 'node_modules', '.bin', 'parley'), [], serverFolder, { PORT: String(port) })
  const url = `http://127.0.0.1:${port}`
  await answers(`${url}/readyz`)
  return url
}

function start(command: string, args: string[], cwd: string, more: Record<string, string>): void {
  running.push(spawn(command, args, { cwd, env: { ...environment, ...more }, stdio: 'ignore' }))
}

const answers = (url: string) =>
  vi.waitFor(async () => expect((await fetch(url)).status).toBe(200), { timeout: 100_000, interval: 100 })

const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js')

/** Runs one of Vite's servers in this folder. */
async function serve(folder: string, ...args: string[]): Promise<string> {
  const port = await freePort()
  const where = ['--host', '127.0.0.1', '--port', String(port), '--strictPort']
  start(process.execPath, [vite, ...args, ...where], folder, { VITE_CHAT_SERVER: server })
  const url = `http://127.0.0.1:${port}`
  await answers(url)
  return url
}

async function open(url: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage()
  await page.goto(url)
  return page
}

/** The first example in React of docs/client.md, word for word. */
async function chatsInReact(folder: string): Promise<void> {
  const [code = ''] = blocks('tsx')
  await mkdir(join(folder, 'src'))
  await writeFile(join(folder, 'src/main.tsx'), code)
  const html = '<!doctype html><div id="root"></div><script type="module" src="/src/main.tsx"></script>'
  await writeFile(join(folder, 'index.html'), html)
  const config = `import react from '@vitejs/plugin-react'\nexport default { plugins: [react()] }\n`
  await writeFile(join(folder, 'vite.config.js'), config)
  const env = { ...environment, VITE_CHAT_SERVER: server }
  await run(process.execPath, [vite, 'build', '--logLevel', 'error'], { cwd: folder, env })
  const url = await serve(folder, 'preview')
  const [alice, bob] = await Promise.all([open(`${url}/?as=alice`), open(`${url}/?as=bob`)])
  const ticks = alice.getByText('Hi! (DELIVERED)')
  const before = await ticks.count()
  await alice.getByRole('button', { name: 'Send' }).click()
  await bob
    .getByText(/^Hi! \(\d/)
    .nth(before)
    .waitFor({ timeout: 60_000 })
  await ticks.nth(before).waitFor({ timeout: 60_000 })
}

const isShown = (page: Page, text: string | RegExp) => page.getByText(text).waitFor({ timeout: 60_000 })

const blocks = (language: string): string[] =>
  [...docs.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].flatMap(([, name, code = '']) => (name === language ? [code] : []))

async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
}

describe('the client', () => {
  it('brings itself and three packages', async () => {
    const lock = JSON.parse(readFileSync(join(appFolder, 'package-lock.json'), 'utf8')) as { packages: object }
    expect(Object.keys(lock.packages).filter(Boolean).sort()).toEqual([
      'node_modules/@graphql-typed-document-node/core',
      'node_modules/@parley/client',
      'node_modules/graphql',
      'node_modules/graphql-ws',
    ])
  })

  it('holds what is built, and no sources or tests', async () => {
    const files = await filesOf(join(appFolder, 'node_modules/@parley/client'))
    const beside = files.filter((file) => !file.startsWith('dist/'))
    expect(beside.sort()).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'])
    expect(files.filter((file) => /(?<!\.d)\.tsx?$|test/.test(file))).toEqual([])
    expect(files).toContain('dist/operations/message.graphql')
    expect(files).toContain('dist/generated/persisted.json')
  })

  // The compiler of today is in test/client/docs.test.ts, for Node, and below with React 18, for bundlers.
  it('has types for the oldest compiler, for bundlers and for Node', async () => {
    const old = await install('typescript', oldestCompiler)
    await writeFile(join(appFolder, 'consumer.ts'), consumer)
    const options = ['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2023,dom,dom.iterable']
    for (const [module, resolution, ...more] of [
      // Those of the compiler itself are not ours to check.
      ['nodenext', 'nodenext', '--skipDefaultLibCheck'],
      // The declarations are checked by now; where a bundler finds them is not.
      ['esnext', 'bundler', '--skipLibCheck'],
    ] as const) {
      const way = ['--module', module, '--moduleResolution', resolution, '--types', 'node,react', ...more]
      const args = [join(old, 'node_modules/typescript/bin/tsc'), ...options, ...way, 'consumer.ts']
      const { stdout } = await run(process.execPath, args, { cwd: appFolder }).catch((error) => error)
      expect(stdout).toBe('')
    }
  })

  it('chats in the React app of docs/client.md, built by Vite', () => chatsInReact(appFolder))

  it('chats in the same app with React 18, whose types fit too', async () => {
    const types = ['@types/react@18', '@types/react-dom@18']
    const folder = await install('react-18', await tarballOf('parley-client'), 'react@18', 'react-dom@18', ...types)
    for (const name of ['vite', '@vitejs'])
      await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name))
    await chatsInReact(folder)
    const options = [
      '--noEmit',
      '--strict',
      '--target',
      'es2022',
      '--lib',
      'es2023,dom,dom.iterable',
      '--jsx',
      'react-jsx',
    ]
    const way = ['--module', 'esnext', '--moduleResolution', 'bundler', '--types', 'react,react-dom,vite/client']
    const compiler = join(root, 'node_modules/typescript/bin/tsc')
    const args = [compiler, ...options, ...way, '--skipLibCheck', 'src/main.tsx']
    const { stdout } = await run(process.execPath, args, { cwd: folder }).catch((error) => error)
    expect(stdout).toBe('')
  })

  it('chats in the page of three commands, served by Vite', async () => {
    const [file = ''] = blocks('html')
    const example = join(appFolder, 'node_modules/@parley/client/dist/example.html')
    expect(readFileSync(example, 'utf8')).toBe(file)
    const folder = join(place, 'page')
    await mkdir(folder)
    await cp(example, join(folder, 'index.html'))
    await symlink(join(appFolder, 'node_modules'), join(folder, 'node_modules'))
    const url = await serve(folder)
    const [alice, bob] = await Promise.all([open(`${url}/?as=alice`), open(`${url}/?as=bob`)])
    await bob.getByPlaceholder('A message').fill('Tea at four?')
    await bob.getByPlaceholder('A message').press('Enter')
    await isShown(alice, 'bob: Tea at four?')
    await isShown(bob, 'bob: Tea at four? (DELIVERED)')
  })
})

describe('the server', () => {
  it('holds what is built, both pages included, and no sources or tests', async () => {
    const files = await filesOf(join(serverFolder, 'node_modules/@parley/server'))
    const beside = files.filter((file) => !file.startsWith('dist/'))
    expect(beside.sort()).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'])
    expect(
      files.filter((file) => /\.(tsx?|map)$|\btest\b|\bclient\/|\.built$/.test(file.slice('dist/'.length))),
    ).toEqual([])
    expect(files).toContain('dist/demo/index.html')
    expect(files).toContain('dist/console/index.html')
  })

  it('brings nothing of React and of tools', async () => {
    const names = await readdir(join(serverFolder, 'node_modules'))
    expect(names.filter((name) => /^(react|urql|vite|typescript|esbuild|tsx)$/.test(name))).toEqual([])
  })

  it('shows its page, and keeps its data in the folder where it was started', async () => {
    expect(await (await fetch(server)).text()).toContain('<title>')
    expect(existsSync(join(serverFolder, '.data'))).toBe(true)
  })
})

const consumer = `
import { createChat, type Chat } from '@parley/client'
import { optimisticSend, typePolicies } from '@parley/client/apollo'
import { ViewerDocument } from '@parley/client/documents'
import { createGroup } from '@parley/client/groups'
import { upload } from '@parley/client/media'
import { fileStorage } from '@parley/client/node'
import { presenceOf } from '@parley/client/presence'
import { enablePush } from '@parley/client/push'
import { useMessages } from '@parley/client/react'
import { useConversationQuery } from '@parley/client/react/urql'
import { createUpdaters, getDataID } from '@parley/client/relay'
import { resuming } from '@parley/client/resuming'
import { listenForPush } from '@parley/client/service-worker'
import { pin } from '@parley/client/settings'
import { cacheConfig } from '@parley/client/urql'

const chat: Chat = createChat({ url: '/graphql', userId: 'alice', token: () => 't', storage: fileStorage('x') })
const length: number = chat.ticks({ userId: 'bob' }).get().tickOf(1).length
export const viewerId: Promise<string> = chat.ask(ViewerDocument, {}).then(({ viewer }) => viewer.id)
void upload(chat, { bytes: new Uint8Array(1), type: 'image/png' })
// @ts-expect-error A number is no text: the types are really there.
chat.send({ userId: 'bob' }, length)
export const others = [optimisticSend, typePolicies, createUpdaters, getDataID, cacheConfig, resuming({ url: '/graphql' })]
export const all = [createGroup, presenceOf, enablePush, useMessages, useConversationQuery, listenForPush, pin]
`
