import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { testSecret } from '../../kit/person.ts'
import { startWorld, type World } from '../../kit/world.ts'

// docs/backends.md, taken at its word: its code is one program, and says what it prints.

const root = fileURLToPath(new URL('../../..', import.meta.url))

let world: World
let app: string
beforeAll(async () => {
  const tasks = { lookMs: 500, leaseMs: 30_000, partBytes: 100_000, settleMs: 500 }
  world = await startWorld({ app: { tasks }, config: { events: true, webhookAddresses: 'loopback' } })
  // From here the program finds the packages that the page tells its reader to install.
  const cache = join(root, 'test/node_modules/.cache')
  await mkdir(cache, { recursive: true })
  app = await mkdtemp(join(cache, 'parley-backend-'))
})
afterAll(async () => {
  await rm(app, { recursive: true, force: true })
  await world.stop()
})

const blocksOf = (page: string): string[] => [...page.matchAll(/^```js\n([\s\S]*?)^```/gm)].map(([, code = '']) => code)

/** What stands behind each `console.log`, from top to bottom. */
const promisedBy = (program: string): string[] =>
  [...program.matchAll(/^\s*console\.log\(.*\) \/\/ (.+)$/gm)].map(([, line = '']) => line)

it('the program of the page prints what the page says', async () => {
  const program = blocksOf(await readFile(join(root, 'docs/backends.md'), 'utf8')).join('\n')
  const promised = promisedBy(program)
  expect(promised).toHaveLength(program.split('console.log(').length - 1)
  const script = join(app, 'backend.mjs')
  await writeFile(script, program)
  const { stdout } = await promisify(execFile)(process.execPath, [script], {
    cwd: dirname(script),
    env: { PATH: process.env.PATH, PARLEY_URL: world.url(), AUTH_JWT_SECRET: testSecret },
    timeout: 100_000,
  })
  expect(stdout.trim().split('\n')).toEqual(promised)
})
