import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort } from '../../kit/free-port.ts'
import { createService } from '../../kit/service.ts'
import { startWorld, type World } from '../../kit/world.ts'

// docs/events.md, taken at its word: its receiver gets what its webhook is posted, and refuses what others post.

const root = fileURLToPath(new URL('../../..', import.meta.url))

let world: World
let folder: string
let receiver: ChildProcess | undefined
beforeAll(async () => {
  world = await startWorld({ config: { events: true, webhookAddresses: 'loopback' } })
  // From here the program finds the library.
  const cache = join(root, 'test/node_modules/.cache')
  await mkdir(cache, { recursive: true })
  folder = await mkdtemp(join(cache, 'parley-receiver-'))
})
afterAll(async () => {
  if (receiver?.exitCode === null) {
    receiver.kill('SIGKILL')
    await once(receiver, 'exit')
  }
  await rm(folder, { recursive: true, force: true })
  await world.stop()
})

it('the receiver of the page takes what the webhook of the page is posted', async () => {
  const page = await readFile(join(root, 'docs/events.md'), 'utf8')
  const blocks = (language: string) =>
    [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, code = '']) => code)
  const [program = ''] = blocks('js')
  const [query = '', create = '', redeliver = ''] = blocks('graphql')
  const backend = await createService('shop', world.url())
  const alice = await world.person('alice')
  const bob = await world.person('bob')

  const port = await freePort()
  const url = `http://127.0.0.1:${port}/parley`
  type Made = { createWebhook: { webhook: { id: string; secret: string; position: string } } }
  const { createWebhook } = await backend.ask<Made>(create, { url })
  const { id, secret, position } = createWebhook.webhook

  await writeFile(join(folder, 'receiver.mjs'), program)
  receiver = spawn(process.execPath, [join(folder, 'receiver.mjs')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, PORT: String(port), PARLEY_WEBHOOK_SECRET: secret },
  })
  let printed = ''
  receiver.stdout?.on('data', (chunk) => {
    printed += String(chunk)
  })

  await alice.send(bob, 'hello')
  await alice.send(bob, 'größer €')
  await expect.poll(() => printed).toBe('message.sent 1 hello\nmessage.sent 2 größer €\n')
  const forged = await fetch(url, {
    method: 'POST',
    headers: { 'webhook-id': 'evt_1', 'webhook-timestamp': '1795053600', 'webhook-signature': 'v1,AAAA' },
    body: '{"id":"evt_1","type":"message.sent"}',
  })
  expect(forged.status).toBe(401)
  expect(await backend.ask(redeliver, { webhookId: id })).toHaveProperty('redeliver')
  type Page = { events: { events: { type: string }[] } }
  const { events } = await backend.ask<Page>(query, { after: position })
  expect(events.events.map(({ type }) => type)).toContain('message.sent')
})
