import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Makes one file of a script and all it imports, so that a process starts in a tenth of a second: a test starts many. */
export async function bundle(script: string): Promise<{ path: string; remove(): Promise<void> }> {
  const cache = join(root, 'node_modules', '.cache')
  await mkdir(cache, { recursive: true })
  const place = await mkdtemp(join(cache, 'parley-crash-'))
  const path = join(place, 'script.mjs')
  await build({
    entryPoints: [fileURLToPath(new URL(script, import.meta.url))],
    outfile: path,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'error',
  })
  return { path, remove: () => rm(place, { recursive: true, force: true }) }
}
