import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Compiles the server as `npm run build` does, to a place of its own: other runs, and dist, are left alone. */
export async function buildServer(): Promise<{ script: string; remove(): Promise<void> }> {
  const place = join(root, 'node_modules', '.cache', `parley-test-${process.pid}-${Date.now()}`)
  await mkdir(place, { recursive: true })
  // The project's own package.json does not count below node_modules.
  await writeFile(join(place, 'package.json'), '{ "type": "module" }\n')
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
  const settings = ['-p', 'tsconfig.build.json', '--noCheck', '--sourceMap', 'false', '--outDir', place]
  const child = spawn(process.execPath, [compiler, ...settings], { cwd: root, stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  const remove = () => rm(place, { recursive: true, force: true })
  if (code !== 0) {
    await remove()
    throw new Error(`The server cannot be compiled: tsc exited with ${code}.`)
  }
  return { script: join(place, 'server.js'), remove }
}
