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
  // These parts know nothing of chat, not even its errors.
  'engine/graphql': ['shared'],
  'engine/graphql-transport-ws': ['shared'],
  domain: ['protocol', 'shared', 'ports'],
  store: ['protocol', 'shared', 'ports', 'engine'],
  push: ['protocol', 'ports'],
  resolvers: ['protocol', 'shared', 'ports', 'domain'],
  schema: ['protocol', 'ports', 'domain', 'resolvers', 'engine'],
  observability: ['ports', 'config'],
  transport: ['protocol', 'shared', 'ports', 'config', 'engine', 'observability'],
  dev: ['protocol', 'config', 'transport'],
  embedded: [],
  client: ['protocol'],
  'server.ts': ['app.ts', 'config'],
}

const source = fileURLToPath(new URL('../src', import.meta.url))
const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => ({ path: path.replaceAll('\\', '/'), text: readFileSync(join(source, path), 'utf8') }))

/** The first of the path itself, its first two folders and its first folder that the table has. */
function roomOf(path: string): string {
  const [first = path, second = ''] = path.split('/')
  return [path, `${first}/${second}`].find((name) => name in mayImport) ?? first
}

const mayUse = (room: string, other: string): boolean =>
  other === room || [other, other.split('/')[0] ?? ''].some((name) => mayImport[room]?.includes(name))

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
      .filter((target) => !mayUse(room, roomOf(target)))
    expect(wrong).toEqual([])
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
    expect(breaches(/\bevents\.(ring|tell|subscribe)\(/, (room) => room !== 'domain')).toEqual([])
  })
})
