import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { createNodeProcess } from '../chaos/processes.ts'
import { freePort } from './free-port.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const cache = join(root, 'node_modules', '.cache')

export type DemoServer = Awaited<ReturnType<typeof startDemoServer>>

/**
 * What `npm start` starts: one process in development mode, everything embedded unless the settings say otherwise, with the
 * demo page. It can be killed.
 */
export async function startDemoServer(settings: Record<string, string> = {}) {
  await mkdir(cache, { recursive: true })
  const place = await mkdtemp(join(cache, 'parley-demo-'))
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-demo-'))
  const port = await freePort()
  const crashes: string[] = []
  const node = createNodeProcess({
    name: 'the server',
    port,
    script: join(place, 'server.js'),
    environment: { PATH: process.env.PATH ?? '', PORT: String(port), DATA_DIR: join(dataDir, 'data'), ...settings },
    logPath: join(dataDir, 'log'),
    onCrash: (text) => crashes.push(text),
  })
  const stop = async () => {
    await node.retire()
    await Promise.all([place, dataDir].map((each) => rm(each, { recursive: true, force: true })))
  }
  try {
    // Both, to the end, for whatever is still at work would write into what is being removed.
    const builds = await Promise.allSettled([buildServer(place), buildDemo(join(place, 'demo'))])
    for (const each of builds) if (each.status === 'rejected') throw each.reason
    await node.start()
  } catch (error) {
    await stop()
    throw error
  }
  return { url: node.url, crashes, start: node.start, kill: node.kill, stop }
}

/** File by file, as tsc does, in a tenth of its time: several test files each start a server, and others check the types. */
async function buildServer(outdir: string): Promise<void> {
  // Below node_modules the project's own package.json does not count.
  await writeFile(join(outdir, 'package.json'), '{ "type": "module" }\n')
  const fileByFile: Plugin = {
    name: 'file by file',
    setup: ({ onResolve }) =>
      onResolve({ filter: /^\./ }, ({ path }) => ({ path: path.replace(/\.tsx?$/, '.js'), external: true })),
  }
  const settings = { format: 'esm', platform: 'node', bundle: true, packages: 'external', logLevel: 'error' } as const
  const src = join(root, 'src')
  await build({ ...settings, entryPoints: [`${src}/**/*.ts`], outbase: src, outdir, plugins: [fileByFile] })
}

/** As `npm run build` does: in a process of its own, for under Vitest React would come as it is for its developers. */
async function buildDemo(outDir: string): Promise<void> {
  const vite = join(dirname(createRequire(import.meta.url).resolve('vite/package.json')), 'bin', 'vite.js')
  const { NODE_ENV: _test, ...env } = process.env
  const settings = ['build', join(root, 'demo'), '--outDir', outDir, '--emptyOutDir', '--logLevel', 'error']
  const child = spawn(process.execPath, [vite, ...settings], { env, stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`The demo cannot be built: vite exited with ${code}.`)
}
