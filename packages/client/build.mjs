// Builds dist: the compiled code, its types, and the operations, persisted documents and example as files. `node build.mjs <folder>` builds into
// another folder.
import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'

const folder = import.meta.dirname
const outDir = resolve(process.argv[2] ?? join(folder, 'dist'))
const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')

rmSync(outDir, { recursive: true, force: true })
const { status } = spawnSync(process.execPath, [compiler, '-p', folder, '--outDir', outDir], { stdio: 'inherit' })
if (status !== 0) process.exit(status ?? 1)

// The compiler rewrites the extensions of imports in code, and leaves them in types, where compilers of an app look for sources.
for (const name of readdirSync(outDir, { recursive: true, encoding: 'utf8' })) {
  if (!name.endsWith('.d.ts')) continue
  const path = join(outDir, name)
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, text.replace(/((?:from|import)\s*\(?\s*['"]\.[^'"]*)\.tsx?(?=['"])/g, '$1.js'))
}

cpSync(join(folder, 'example.html'), join(outDir, 'example.html'))
cpSync(join(folder, 'src/operations'), join(outDir, 'operations'), { recursive: true })
cpSync(join(folder, 'src/generated/persisted.json'), join(outDir, 'generated/persisted.json'))
