import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { type Spec, Validation } from '@cyclonedx/cyclonedx-library'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { startNodeProcess } from '../kit/nodes/node-process.ts'
import { createPerson, line, testSecret } from '../kit/person.ts'
import { startRedis } from '../kit/services/redis.ts'
import { sharedService } from '../kit/shared-services.ts'

// What the Dockerfile puts into an image without parts, made by the same script in a folder.

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Without what npm and Vitest have set for this run. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(npm_|VITEST|NODE_ENV$|NODE_PATH$)/.test(name)),
)
let place: string
let image: string
let script: string

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'parley-image-'))
  const checkout = join(place, 'checkout')
  await mkdir(checkout)
  const entries = ['package.json', 'package-lock.json', '.npmrc', 'scripts', 'packages/client/package.json']
  for (const entry of entries) await cp(join(root, entry), join(checkout, entry), { recursive: true })
  await cp(dirname(await sharedService('server')), join(checkout, 'dist'), { recursive: true })
  await run(checkout, 'npm', 'ci', '--omit=dev', '--ignore-scripts', '--prefer-offline')
  await run(checkout, 'sh', 'scripts/image-contents.sh', '')
  image = join(checkout, 'image')
  script = join(image, 'dist', 'server.js')
})
afterAll(() => rm(place, { recursive: true, force: true }))

async function run(cwd: string, command: string, ...args: string[]): Promise<void> {
  const child = spawn(command, args, { cwd, env: environment, stdio: ['ignore', 'ignore', 'pipe'] })
  const [complaint, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} exited with ${code}: ${complaint}`)
}

it('has at most 80 packages in 50 MB, and neither source maps nor types', async () => {
  const entries = await readdir(image, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  expect(files.filter((file) => /\.(map|[cm]?ts)$/.test(file))).toEqual([])
  const packages = files.filter((file) => /node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/.test(file))
  expect(packages.length).toBeLessThanOrEqual(80)
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size))
  expect(sizes.reduce((sum, size) => sum + size, 0) / 1e6).toBeLessThan(50)
  expect((await readdir(image)).sort()).toEqual(['dist', 'node_modules', 'package.json', 'sbom.cdx.json'])
})

it('lists what it is made of, as CycloneDX', async () => {
  const list = await readFile(join(image, 'sbom.cdx.json'), 'utf8')
  const { specVersion, metadata, components } = JSON.parse(list) as Sbom
  expect(await new Validation.JsonStrictValidator(specVersion).validate(list)).toBe(null)
  expect(metadata.component.name).toBe('@parley/server')
  const { dependencies } = JSON.parse(await readFile(join(image, 'package.json'), 'utf8')) as Dependencies
  const listed = new Map(components.map(({ group, name, version }) => [group ? `${group}/${name}` : name, version]))
  expect(Object.fromEntries(listed)).toMatchObject(dependencies)
  expect(listed.has('vitest') || listed.has('@aws-sdk/client-s3')).toBe(false)
})

it('starts with everything embedded', () => sendsOneMessage({ STORE: 'embedded', DATA_DIR: join(place, 'data') }))

it('starts on Redis and DynamoDB', async () => {
  const redis = await startRedis()
  onTestFinished(() => redis.stop())
  const DYNAMODB_ENDPOINT = await sharedService('dynalite')
  await sendsOneMessage({ REDIS_URL: redis.url, DYNAMODB_ENDPOINT, TABLE_PREFIX: 'image_', CREATE_TABLES: 'true' })
})

it('says what to install for a bucket, and does not start', async () => {
  const nobody = { REDIS_URL: 'redis://127.0.0.1:1', DYNAMODB_ENDPOINT: 'http://127.0.0.1:1' }
  const settings = { ...nobody, S3_BUCKET: 'files', S3_REGION: 'eu-central-1' }
  const child = spawn(process.execPath, [script], {
    env: { ...production, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [, complaint, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  expect(code).toBe(1)
  expect(complaint).toMatch(/S3_BUCKET needs packages that are not installed: npm install .*@aws-sdk\/client-s3@\d/)
  expect(complaint).toContain('--build-arg PARTS=aws')
})

type Sbom = {
  specVersion: Spec.Version
  metadata: { component: { name: string } }
  components: { group?: string; name: string; version: string }[]
}
type Dependencies = { dependencies: Record<string, string> }

const production = { PATH: process.env.PATH, NODE_ENV: 'production', AUTH_JWT_SECRET: testSecret, PORT: '0' }

async function sendsOneMessage(settings: Record<string, string>): Promise<void> {
  const node = await startNodeProcess(script, { AUTH_JWT_SECRET: testSecret, DRAIN_DELAY_MS: '0', ...settings })
  onTestFinished(async () => void (await node.stop()))
  const [alice, bob] = [await createPerson('alice', node.url), await createPerson('bob', node.url)]
  expect(line(await alice.send(bob, 'hi', { via: 'rest' }))).toBe('1 hi')
  expect([await node.stop(), node.complaints]).toEqual([[0, null], []])
}
