import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { createNodeProcess } from '../chaos/processes.ts'
import { buildServer } from './build-server.ts'
import { freePort } from './free-port.ts'

const demo = fileURLToPath(new URL('../../demo', import.meta.url))

/** What `npm start` starts: one process in development mode, everything embedded, with the demo page. It can be killed. */
export async function startDemoServer() {
  const server = await buildServer()
  const place = dirname(server.script)
  await build({ root: demo, logLevel: 'error', build: { outDir: join(place, 'demo') } })
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-demo-'))
  const port = await freePort()
  const crashes: string[] = []
  const node = createNodeProcess({
    name: 'the server',
    port,
    script: server.script,
    environment: { PATH: process.env.PATH ?? '', PORT: String(port), DATA_DIR: join(dataDir, 'data') },
    logPath: join(dataDir, 'log'),
    onCrash: (text) => crashes.push(text),
  })
  await node.start()
  return {
    url: node.url,
    crashes,
    start: node.start,
    kill: node.kill,
    async stop(): Promise<void> {
      await node.retire()
      await server.remove()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
