import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, it } from 'vitest'

// docs/client.md, docs/push-browser.md and docs/clients/README.md, taken at their word.

const root = fileURLToPath(new URL('../..', import.meta.url))
const page = readFileSync(join(root, 'docs/client.md'), 'utf8')
const others = ['docs/push-browser.md', 'docs/clients/README.md'].map((path) => readFileSync(join(root, path), 'utf8'))
const pages = [page, ...others].join('\n')
const examples = [...pages.matchAll(/```(tsx?)\n([\s\S]*?)```/g)].map(([, language = '', code = ''], i) => ({
  file: `example-${i + 1}.${language}`,
  code,
}))

const compilerOptions = {
  noEmit: true,
  strict: true,
  skipLibCheck: true,
  jsx: 'react-jsx',
  module: 'nodenext',
  target: 'es2022',
  lib: ['es2023', 'dom'],
  types: ['node', 'react', 'vite/client'],
}

let app: string

/** An application that has installed the package as it is built. */
beforeAll(async () => {
  const cache = join(root, 'node_modules', '.cache')
  await mkdir(cache, { recursive: true })
  app = mkdtempSync(join(cache, 'parley-app-'))
  const installed = join(app, 'node_modules', '@parley', 'client')
  await mkdir(installed, { recursive: true })
  const folder = join(root, 'packages', 'client')
  await cp(join(folder, 'package.json'), join(installed, 'package.json'))
  spawnSync(process.execPath, [join(folder, 'build.mjs'), join(installed, 'dist')], { stdio: 'inherit' })
  await writeFile(join(app, 'package.json'), '{ "type": "module" }')
  await writeFile(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  for (const { file, code } of examples) await writeFile(join(app, file), code)
})
afterAll(() => rmSync(app, { recursive: true, force: true }))

it('its examples compile against the package', () => {
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
  const { stdout } = spawnSync(process.execPath, [compiler, '-p', app], { encoding: 'utf8' })
  expect(stdout).toBe('')
  expect(examples).toHaveLength(10)
})

async function kilobytesOf(contents: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: join(root, 'packages/client/src'), loader: 'ts' },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
  })
  return gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length / 1000
}

it('the runtime is as small as it says, and below 20 KB', async () => {
  const kilobytes = await kilobytesOf(`export * from './index.ts'`)
  const [, said] = /is ([\d.]+)\s+KB/.exec(page) ?? []
  expect(kilobytes).toBeLessThan(20)
  expect(Math.abs(kilobytes - Number(said))).toBeLessThan(0.3)
})

const entries = ['groups', 'media', 'presence', 'push', 'reports', 'service-worker', 'settings']

it.each([...entries, 'apollo', 'relay', 'resuming', 'urql'])('%s is as small as it says', async (entry) => {
  const kilobytes = await kilobytesOf(`export * from './${entry}.ts'`)
  const [, said] = new RegExp(`@parley/client/${entry}\` \\| ([\\d.]+) KB`).exec(page) ?? []
  expect(Math.abs(kilobytes - Number(said))).toBeLessThan(0.3)
})
