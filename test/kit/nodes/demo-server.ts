import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createNodeProcess } from '../../chaos/faults/processes.ts'
import { freePort } from '../free-port.ts'
import { transpileServer } from './transpile-server.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

export type DemoServer = Awaited<ReturnType<typeof startDemoServer>>

/**
 * Starts what `npm start` starts: one process in development mode, with everything embedded unless the settings say otherwise, and with the
 * demo page. It can be killed.
 */
export async function startDemoServer(script: string, settings: Record<string, string> = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-demo-'))
  const port = await freePort()
  const crashes: string[] = []
  const node = createNodeProcess({
    name: 'the server',
    port,
    script,
    environment: { PATH: process.env.PATH ?? '', PORT: String(port), DATA_DIR: join(dataDir, 'data'), ...settings },
    logPath: join(dataDir, 'log'),
    onCrash: (text) => crashes.push(text),
  })
  const stop = async () => {
    await node.retire()
    await rm(dataDir, { recursive: true, force: true })
  }
  try {
    await node.start()
  } catch (error) {
    await stop()
    throw error
  }
  return { url: node.url, crashes, start: node.start, kill: node.kill, stop }
}

/** Starts the server with both pages beside it, for all files of a run. */
export async function buildDemoServer(): Promise<{ script: string; remove(): Promise<void> }> {
  const built = await transpileServer()
  try {
    await Promise.all(['demo', 'console'].map((page) => buildPage(page, join(built.place, page))))
  } catch (error) {
    await built.remove()
    throw error
  }
  return built
}

/** A page is built as `npm run build` does, in a process of its own: under Vitest, React would come in its version for developers. */
async function buildPage(name: string, outDir: string): Promise<void> {
  const vite = join(dirname(createRequire(import.meta.url).resolve('vite/package.json')), 'bin', 'vite.js')
  const { NODE_ENV: _test, ...env } = process.env
  const settings = ['build', join(root, name), '--outDir', outDir, '--emptyOutDir', '--logLevel', 'error']
  const child = spawn(process.execPath, [vite, ...settings], { env, stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`The page of ${name} cannot be built: vite exited with ${code}.`)
}
