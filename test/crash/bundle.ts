import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Another text for one of the engine: a test plants a mistake there and sees it caught. */
export type Mistake = { file: string; instead: string; put: string }

/** Makes one file of a script and all it imports, so that a process starts in a tenth of a second: a test starts many. */
export async function bundle(
  script: string,
  ...mistakes: Mistake[]
): Promise<{ path: string; remove(): Promise<void> }> {
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
    plugins: mistakes.map(planting),
  })
  return { path, remove: () => rm(place, { recursive: true, force: true }) }
}

const planting = ({ file, instead, put }: Mistake): Plugin => ({
  name: 'planting',
  setup: ({ onLoad }) =>
    onLoad({ filter: new RegExp(`${file.replaceAll('.', '\\.')}$`) }, async ({ path }) => {
      const source = await readFile(path, 'utf8')
      if (!source.includes(instead)) throw new Error(`${file} does not say ${instead} any more.`)
      return { contents: source.replace(instead, put), loader: 'ts' }
    }),
})
