import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createNodeProcess } from '../chaos/processes.ts'
import { buildServer } from './build-server.ts'
import { freePort } from './free-port.ts'

const demo = fileURLToPath(new URL('../../demo', import.meta.url))

export type DemoServer = Awaited<ReturnType<typeof startDemoServer>>

/**
 * What `npm start` starts: one process in development mode, everything embedded unless the settings say otherwise, with the
 * demo page. It can be killed.
 */
export async function startDemoServer(settings: Record<string, string> = {}) {
  const place = await mkdtemp(join(tmpdir(), 'parley-demo-'))
  const built = join(place, 'demo')
  const builds = await Promise.allSettled([buildServer(), buildDemo(built)])
  const [server] = builds.map((build) => (build.status === 'fulfilled' ? build.value : undefined))
  const remove = async () => {
    await server?.remove()
    await rm(place, { recursive: true, force: true })
  }
  const failed = builds.find((build) => build.status === 'rejected')
  if (failed || !server) {
    await remove()
    throw failed?.reason
  }
  await cp(built, join(dirname(server.script), 'demo'), { recursive: true })
  const port = await freePort()
  const crashes: string[] = []
  const node = createNodeProcess({
    name: 'the server',
    port,
    script: server.script,
    environment: { PATH: process.env.PATH ?? '', PORT: String(port), DATA_DIR: join(place, 'data'), ...settings },
    logPath: join(place, 'log'),
    onCrash: (text) => crashes.push(text),
  })
  const stop = async () => {
    await node.retire()
    await remove()
  }
  await node.start().catch(async (error) => {
    await stop()
    throw error
  })
  return { url: node.url, crashes, start: node.start, kill: node.kill, stop }
}

/** As `npm run build` does: in a process of its own, for under Vitest React would come as it is for its developers. */
async function buildDemo(outDir: string): Promise<void> {
  const vite = join(dirname(createRequire(import.meta.url).resolve('vite/package.json')), 'bin', 'vite.js')
  const { NODE_ENV: _test, ...env } = process.env
  const settings = ['build', demo, '--outDir', outDir, '--emptyOutDir', '--logLevel', 'error']
  const child = spawn(process.execPath, [vite, ...settings], { env, stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`The demo cannot be built: vite exited with ${code}.`)
}
