import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { errorTable } from '../src/protocol/errors.ts'

// A page that names a file which has moved sends its reader the wrong way. So every path and link in the docs must lead somewhere.

const root = fileURLToPath(new URL('..', import.meta.url))
const pages = ['.', 'docs', 'docs/clients', 'docs/decisions', 'packages/client']
  .filter((folder) => existsSync(join(root, folder)))
  .flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(folder, name)))
  .filter((path) => path.endsWith('.md'))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))

const withoutCode = (text: string): string => text.replace(/^```[\s\S]*?^```/gm, '')

/** As GitHub makes them of headings. */
const anchorsIn = (text: string): Set<string> =>
  new Set(
    [...withoutCode(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )

describe.each(pages)('$path', ({ path, text }) => {
  it('has links that lead to a file, and to a heading in it', () => {
    const links = [...withoutCode(text).matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g)]
    const broken = links.filter(([, target, anchor]) => {
      const file = target ? join(root, dirname(path), target) : join(root, path)
      if (!existsSync(file)) return true
      return anchor !== undefined && statSync(file).isFile() && !anchorsIn(readFileSync(file, 'utf8')).has(anchor)
    })
    expect(broken.map(([link]) => link)).toEqual([])
  })

  it('names only files that exist', () => {
    const named = [
      ...text.matchAll(/(?<![\w/.-])((?:src|packages|test|bench|scripts|deploy|demo|tools)\/[\w./-]*\w\/?)/g),
    ]
      .map(([, name = '']) => name)
      .filter((name) => !existsSync(join(root, name)))
    expect(named.filter((name) => !isMade(name))).toEqual([])
  })
})

/** Written by a command, and not committed. */
const isMade = (name: string): boolean => name.startsWith('bench/results/')

const textOf = (name: string): string => pages.find(({ path }) => path === join('docs', name))?.text ?? ''

describe('docs/api.md', () => {
  it('has the table of errors as the code has it', () => {
    const rows = [...textOf('api.md').matchAll(/^\| `([A-Z_]+)` \| .* \| (yes|no) \| (\d+) \|$/gm)]
    expect(rows.map(([, code, retryable, status]) => [code, retryable === 'yes', Number(status)])).toEqual(
      Object.entries(errorTable).map(([code, { retryable, status }]) => [code, retryable, status]),
    )
  })
})

describe('docs/architecture.md', () => {
  const map = textOf('architecture.md')
  const sources = ['src', 'test'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => `/${folder}/${path}`),
  )

  it('names only files that exist, with as much of their folder as it gives', () => {
    const named = [...map.matchAll(/`([\w./-]+\.ts)`/g)].map(([, name = '']) => name)
    expect(named.length).toBeGreaterThan(50)
    expect(named.filter((name) => !sources.some((path) => path.endsWith(`/${name}`)))).toEqual([])
  })

  it('shows every folder of src, of the domain and of the transport', () => {
    const folders = ['src', 'src/domain', 'src/transport'].flatMap((folder) =>
      readdirSync(join(root, folder), { withFileTypes: true }).filter((each) => each.isDirectory()),
    )
    expect(folders.map(({ name }) => name).filter((name) => !map.includes(`\n| \`${name}/\` |`))).toEqual([])
  })
})

describe('CONTRIBUTING.md', () => {
  it('explains every folder of test that is not one of src', () => {
    const guide = pages.find(({ path }) => path === 'CONTRIBUTING.md')?.text ?? ''
    const folders = readdirSync(join(root, 'test'), { withFileTypes: true }).filter((each) => each.isDirectory())
    const own = folders.map(({ name }) => name).filter((name) => !existsSync(join(root, 'src', name)))
    const made = ['node_modules', 'artifacts']
    expect(own.filter((name) => !made.includes(name) && !guide.includes(`test/${name}`))).toEqual([])
  })
})

describe('README.md', () => {
  const readme = pages.find(({ path }) => path === 'README.md')?.text ?? ''

  it('shows every folder of src and of the domain', () => {
    const foldersOf = (folder: string) =>
      readdirSync(join(root, folder), { withFileTypes: true }).filter((each) => each.isDirectory())
    const named = [
      ...foldersOf('src').map(({ name }) => `src/${name}/`),
      ...foldersOf('src/domain').map(({ name }) => `${name}/`),
    ]
    expect(named.filter((name) => !readme.includes(`\`${name}\``))).toEqual([])
  })

  it('names only commands that there are', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object }
    const named = [...readme.matchAll(/npm run (?:--silent )?([a-z][a-z:-]*)/g)].map(([, name = '']) => name)
    expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([])
  })
})
