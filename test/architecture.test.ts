import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { optionalParts } from '../src/config/optional-parts.ts'

// The table in docs/architecture.md, in full: which room may import from which. app.ts alone knows every room.
const mayImport: Record<string, string[]> = {
  protocol: [],
  shared: ['protocol'],
  ports: ['protocol'],
  config: ['protocol'],
  // The parts of the engine know nothing of chat, not even its errors. The WebSocket protocol sends the answers of compiled operations.
  'engine/dynamodb': ['shared'],
  'engine/redis': ['shared'],
  'engine/key-value': ['shared'],
  'engine/graphql': ['shared'],
  'engine/websocket': ['shared', 'engine/graphql'],
  domain: ['protocol', 'shared', 'ports'],
  store: ['protocol', 'shared', 'ports', 'engine'],
  push: ['protocol', 'shared', 'ports'],
  'pre-send': ['protocol', 'shared', 'ports'],
  webhooks: ['protocol', 'shared', 'ports'],
  resolvers: ['protocol', 'shared', 'ports', 'domain'],
  schema: ['protocol', 'ports', 'domain', 'resolvers', 'engine'],
  // It has a schema of its own; cursors, pages and scalars are those of the public API.
  admin: ['protocol', 'shared', 'ports', 'domain', 'resolvers'],
  observability: ['shared', 'ports', 'config'],
  transport: ['protocol', 'shared', 'ports', 'config', 'engine', 'observability'],
  dev: ['protocol', 'config', 'transport'],
  wiring: ['protocol', 'shared', 'ports', 'config', 'engine', 'store', 'push', 'pre-send', 'webhooks'],
  copy: ['protocol', 'shared', 'ports', 'config', 'engine', 'store', 'wiring'],
  'server.ts': ['app.ts', 'config', 'copy', 'shared'],
}

function sourcesIn(folder: string): { path: string; text: string }[] {
  const source = fileURLToPath(new URL(`../${folder}`, import.meta.url))
  return readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => ({ path: path.replaceAll('\\', '/'), text: readFileSync(join(source, path), 'utf8') }))
}

const files = sourcesIn('src')

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
    expect(
      breaches(/random(UUID|Bytes)\(/, (room) => ['domain', 'resolvers', 'schema', 'admin'].includes(room)),
    ).toEqual([])
  })

  it('the schema declares and decides nothing', () => {
    const declares = ({ path }: { path: string }) => /^(admin\/)?schema\//.test(path)
    const deciding = files.filter((each) => declares(each) && /\bif \(|\bawait\b/.test(withoutComments(each.text)))
    expect(deciding.map(({ path }) => path)).toEqual([])
  })

  it('only the domain publishes and subscribes', () => {
    expect(breaches(/\bevents\.(publish|subscribe)\w*\(/, (room) => room !== 'domain')).toEqual([])
  })
})

type Manifest = Partial<Record<'dependencies' | 'devDependencies' | 'peerDependencies', Record<string, string>>>
const manifestIn = (folder: string): Manifest =>
  JSON.parse(readFileSync(new URL(`../${folder}/package.json`, import.meta.url), 'utf8')) as Manifest

const peersOf = ({ peerDependencies = {} }: Manifest): Record<string, string> => peerDependencies

describe('the packages', () => {
  const { dependencies = {}, devDependencies = {}, peerDependencies = {} } = manifestIn('.')

  /** The packages that these imports name, and those of `dependencies` that they ask for beside themselves. */
  function packagesIn(imports: string[], dependencies: Record<string, string>): string[] {
    const named = imports.flatMap(
      (specifier) => /^((?:@[\w.-]+\/)?\w[\w.-]*)(?:\/[\w./-]+)?$/.exec(specifier)?.[1] ?? [],
    )
    const peers = named.flatMap((name) => Object.keys(manifestIn(`node_modules/${name}`).peerDependencies ?? {}))
    return [...new Set([...named, ...peers.filter((name) => name in dependencies)])].sort()
  }

  it('those a node loads are the dependencies and the optional parts, and no others', () => {
    const typesAlone = /import type [^'"]+['"][^'"]+['"]/g
    const loaded = files.flatMap(({ text }) => importsOf(withoutComments(text).replace(typesAlone, '')))
    const declared = { ...dependencies, ...peerDependencies }
    expect(packagesIn(loaded, declared)).toEqual(Object.keys(declared).sort())
  })

  it('optional parts are peers that need not be there, in the versions that are developed with', () => {
    const { peerDependenciesMeta } = manifestIn('.') as { peerDependenciesMeta?: Record<string, unknown> }
    const names = Object.values(optionalParts).flat().sort()
    expect(Object.keys(peerDependencies).sort()).toEqual(names)
    expect(peerDependenciesMeta).toEqual(Object.fromEntries(names.map((name) => [name, { optional: true }])))
    expect(devDependencies).toMatchObject(peerDependencies)
  })

  describe('@parley/client', () => {
    const client = manifestIn('packages/client')
    const sources = sourcesIn('packages/client/src')

    it('depends on what it imports, types included, and on no other', () => {
      const imports = sources.flatMap(({ text }) => importsOf(withoutComments(text)))
      const packages = packagesIn(imports, client.dependencies ?? {}).filter((name) => !(name in peersOf(client)))
      expect(packages).toEqual(Object.keys(client.dependencies ?? {}).sort())
    })

    it('needs React, urql and Node only in the entries that are for them', () => {
      const inside = (path: string) => /^(react|storage\/file-storage)\b/.test(path)
      const special = (specifier: string) => specifier in peersOf(client) || specifier.startsWith('node:')
      const found = sources.filter(({ path, text }) => !inside(path) && importsOf(text).some(special))
      expect(found.map(({ path }) => path)).toEqual([])
    })

    it('imports nothing from outside its own folder', () => {
      const outside = sources.flatMap(({ path, text }) =>
        importsOf(text)
          .filter((specifier) => specifier.startsWith('.'))
          .filter((specifier) => posix.join(posix.dirname(path), specifier).startsWith('..')),
      )
      expect(outside).toEqual([])
    })

    it('is handed time and chance, except where they begin', () => {
      const breaches = sources.filter(({ text }) => /Date\.now\(|Math\.random\(/.test(withoutComments(text)))
      expect(breaches.map(({ path }) => path)).toEqual([])
    })
  })

  it.each(['bench', 'test', 'tools'])('%s has the versions of the root of what both have', (folder) => {
    const shared = Object.entries(manifestIn(folder).dependencies ?? {}).flatMap(([name, version]) => {
      const atRoot = dependencies[name] ?? devDependencies[name]
      return atRoot === undefined ? [] : [{ name, version, atRoot }]
    })
    expect(shared.filter(({ version, atRoot }) => version !== atRoot)).toEqual([])
  })
})
