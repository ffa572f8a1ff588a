import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

// The drawing in the README, as a table: which room may import from which. app.ts alone knows every room.
const mayImport: Record<string, string[]> = {
  protocol: [],
  shared: ['protocol'],
  ports: ['protocol'],
  config: ['protocol'],
  engine: ['protocol', 'shared'],
  domain: ['protocol', 'shared', 'ports'],
  store: ['protocol', 'shared', 'ports', 'engine'],
  push: ['protocol', 'shared', 'ports'],
  resolvers: ['protocol', 'shared', 'ports', 'domain'],
  schema: ['protocol', 'ports', 'domain', 'resolvers'],
  observability: ['ports', 'config'],
  transport: ['protocol', 'shared', 'ports', 'config', 'engine', 'observability', 'dev'],
  dev: ['protocol', 'config', 'transport'],
  embedded: [],
  client: ['protocol'],
  'server.ts': ['app.ts', 'config'],
}

const source = fileURLToPath(new URL('../src', import.meta.url))
const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => ({ path: path.replaceAll('\\', '/'), text: readFileSync(join(source, path), 'utf8') }))

const roomOf = (path: string): string => (path in mayImport ? path : (path.split('/')[0] ?? path))

const importsOf = (text: string): string[] =>
  [...text.matchAll(/(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)].map(([, specifier]) => specifier ?? '')

const breaches = (rule: RegExp, inRooms: (room: string) => boolean): string[] =>
  files.filter(({ path, text }) => inRooms(roomOf(path)) && rule.test(withoutComments(text))).map(({ path }) => path)

const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '')

describe('the rooms', () => {
  it.each(files.filter(({ path }) => path !== 'app.ts'))('$path imports only what its room may', ({ path, text }) => {
    const room = roomOf(path)
    const wrong = importsOf(text)
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) => posix.join(posix.dirname(path), specifier))
      .filter((target) => roomOf(target) !== room && !mayImport[room]?.includes(roomOf(target)))
    expect(wrong).toEqual([])
  })

  // engine/graphql still names errors of the protocol; once it does not, the table above says `engine: ['shared']` and this can go.
  it('the clients of DynamoDB and Redis know nothing of chat', () => {
    const outside = files
      .filter(({ path }) => /^engine\/(dynamodb|redis)\//.test(path))
      .flatMap(({ path, text }) =>
        importsOf(text)
          .filter((specifier) => specifier.startsWith('../'))
          .map((specifier) => posix.join(posix.dirname(path), specifier)),
      )
      .filter((target) => roomOf(target) !== 'shared')
    expect(outside).toEqual([])
  })

  it('the protocol imports nothing at all: it runs in browsers too', () => {
    const outside = files
      .filter(({ path }) => roomOf(path) === 'protocol')
      .flatMap(({ text }) => importsOf(text).filter((specifier) => !specifier.startsWith('./')))
    expect(outside).toEqual([])
  })

  it('only the config reads the environment', () => {
    // Setting a variable is no reading: the AWS SDK has a switch that is nowhere else.
    expect(breaches(/process\.env(?!\.\w+ = )/, (room) => room !== 'config')).toEqual([])
  })

  it('time and chance are handed in', () => {
    expect(breaches(/Date\.now\(|Math\.random\(/, (room) => room !== 'app.ts')).toEqual([])
    expect(breaches(/random(UUID|Bytes)\(/, (room) => ['domain', 'resolvers', 'schema'].includes(room))).toEqual([])
  })

  it('the schema declares and decides nothing', () => {
    expect(
      breaches(/\bif \(|\bawait\b/, (room) => room === 'schema').filter((path) => path !== 'schema/date-time.ts'),
    ).toEqual([])
  })

  it('only the domain publishes and subscribes', () => {
    expect(breaches(/\bevents\.(publish|subscribe)\w*\(/, (room) => room !== 'domain')).toEqual([])
  })
})

type Manifest = Partial<Record<'dependencies' | 'devDependencies' | 'peerDependencies', Record<string, string>>>
const manifestIn = (folder: string): Manifest =>
  JSON.parse(readFileSync(new URL(`../${folder}/package.json`, import.meta.url), 'utf8')) as Manifest

describe('the packages', () => {
  const { dependencies = {}, devDependencies = {} } = manifestIn('.')

  it('those a node loads are the dependencies, and no others', () => {
    const typesAlone = /import type [^'"]+['"][^'"]+['"]/g
    const loaded = files
      .filter(({ path }) => roomOf(path) !== 'client')
      .flatMap(({ text }) => importsOf(withoutComments(text).replace(typesAlone, '')))
      .flatMap((specifier) => /^((?:@[\w.-]+\/)?\w[\w.-]*)(?:\/[\w./-]+)?$/.exec(specifier)?.[1] ?? [])
    // What a package asks for beside itself is loaded by that package.
    const peers = loaded.flatMap((name) => Object.keys(manifestIn(`node_modules/${name}`).peerDependencies ?? {}))
    const needed = new Set([...loaded, ...peers.filter((name) => name in dependencies)])
    expect([...needed].sort()).toEqual(Object.keys(dependencies).sort())
  })

  it.each(['bench', 'test', 'tools'])('%s has the versions of the root of what both have', (folder) => {
    const shared = Object.entries(manifestIn(folder).dependencies ?? {}).flatMap(([name, version]) => {
      const atRoot = dependencies[name] ?? devDependencies[name]
      return atRoot === undefined ? [] : [{ name, version, atRoot }]
    })
    expect(shared.filter(({ version, atRoot }) => version !== atRoot)).toEqual([])
  })
})
