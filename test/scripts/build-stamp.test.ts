import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

type BuildStamp = {
  beginBuild(root: string): void
  endBuild(root: string): void
  isUpToDate(root: string): boolean
}

const script = new URL('../../scripts/build-stamp.mjs', import.meta.url).href
const { beginBuild, endBuild, isUpToDate }: BuildStamp = await import(script)

/** A folder with a few sources, and a build that copies them. */
function project() {
  const root = mkdtempSync(join(tmpdir(), 'parley-build-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  for (const path of ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json']) write(path, '{}')
  for (const path of ['src/server.ts', 'src/config/config.ts', 'demo/vite.config.ts', 'console/vite.config.ts'])
    write(path, '1')
  const produce = () => {
    write('dist/server.js', '')
    write('dist/demo/index.html', '')
    write('dist/console/index.html', '')
  }
  const build = () => {
    beginBuild(root)
    produce()
    endBuild(root)
  }
  return { root, path: (name: string) => join(root, name), write, produce, build }
}

test('what was never built is built, and what was built is not built again', () => {
  const { root, build } = project()
  expect(isUpToDate(root)).toBe(false)
  build()
  expect(isUpToDate(root)).toBe(true)
})

test.each([
  'src/server.ts',
  'src/config/config.ts',
  'demo/vite.config.ts',
  'console/vite.config.ts',
  'package.json',
  'package-lock.json',
  'tsconfig.build.json',
])('a change of %s is built, and no longer when it is taken back', (name) => {
  const { root, write, build } = project()
  build()
  write(name, '{"changed":true}')
  expect(isUpToDate(root)).toBe(false)
  write(name, name.endsWith('.json') ? '{}' : '1')
  expect(isUpToDate(root)).toBe(true)
})

test('a new, a deleted, a renamed and an emptied file are built', () => {
  const changes: ((given: ReturnType<typeof project>) => void)[] = [
    ({ write }) => write('src/new.ts', ''),
    ({ path }) => rmSync(path('src/config/config.ts')),
    ({ path }) => renameSync(path('src/server.ts'), path('src/other.ts')),
    ({ path }) => renameSync(path('src/config/config.ts'), path('demo/config.ts')),
    ({ write }) => write('src/server.ts', ''),
  ]
  for (const change of changes) {
    const given = project()
    given.build()
    change(given)
    expect(isUpToDate(given.root)).toBe(false)
  }
})

test('another branch is built though its files are older than the build', () => {
  const { root, path, write, build } = project()
  build()
  write('src/server.ts', '2')
  utimesSync(path('src/server.ts'), 1, 1)
  expect(isUpToDate(root)).toBe(false)
})

test('a copy of the folder, with other times, is not built again', () => {
  const { root, build } = project()
  const copy = `${root}-copy`
  build()
  cpSync(root, copy, { recursive: true })
  onTestFinished(() => rmSync(copy, { recursive: true }))
  expect(isUpToDate(copy)).toBe(true)
})

test('a build that was interrupted is built again, also one over an earlier build', () => {
  const { root, produce, build } = project()
  beginBuild(root)
  produce()
  expect(isUpToDate(root)).toBe(false)
  build()
  beginBuild(root)
  produce()
  expect(isUpToDate(root)).toBe(false)
})

test('what changes while a build runs is built again', () => {
  const { root, write, produce } = project()
  beginBuild(root)
  produce()
  write('src/server.ts', '2')
  endBuild(root)
  expect(isUpToDate(root)).toBe(false)
})

test('a dist with parts missing is built again, and what others put beside the sources is not looked at', () => {
  const { root, path, write, build } = project()
  build()
  write('README.md', 'more')
  write('demo/node_modules/x/index.js', '')
  expect(isUpToDate(root)).toBe(true)
  rmSync(path('dist/demo/index.html'))
  expect(isUpToDate(root)).toBe(false)
})

test('a product that was changed or deleted is built again', () => {
  for (const damage of ['changed', 'deleted']) {
    const { root, path, write, build } = project()
    write('dist/a.js', '')
    build()
    write('dist/other.js', '1')
    expect(isUpToDate(root), damage).toBe(false)
    rmSync(path('dist/other.js'))
    expect(isUpToDate(root)).toBe(true)
    if (damage === 'changed') write('dist/server.js', 'cut short')
    else rmSync(path('dist/demo/index.html'))
    expect(isUpToDate(root), damage).toBe(false)
  }
})

test('a link that leads nowhere is no source', () => {
  const { root, path, build } = project()
  symlinkSync('me@host.1:2', path('src/.#server.ts'))
  build()
  expect(isUpToDate(root)).toBe(true)
})
