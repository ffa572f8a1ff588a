import { execFile } from 'node:child_process'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { transpileServer } from '../../test/kit/nodes/transpile-server.ts'

/** Everything that runs as a process of its own, as plain JavaScript: no process that is measured compiles anything. */
export type Built = {
  /** Our server, file by file as `npm run build` makes it. */
  server: string
  /** Builds the demo page beside it, as `npm start` has it in development mode, and returns the folder. */
  whole(): Promise<string>
  probe: string
  script(name: PeerScript | DynamoScript): string
  remove(): Promise<void>
}

/** Which DynamoDB server: the one that keeps rows on disk, or the one that is never in the way. */
export type DynamoScript = 'dynamodb' | 'quick-dynamodb'
export type PeerScript = 'raw-ws' | 'stock-yoga' | 'mercurius' | 'socket-io'

const run = promisify(execFile)
const peers: readonly PeerScript[] = ['raw-ws', 'stock-yoga', 'mercurius', 'socket-io']
const root = fileURLToPath(new URL('../..', import.meta.url))

export async function buildAll(): Promise<Built> {
  // Below the benchmark's own node_modules, so that its packages are found, and then the server's.
  const place = join(root, 'bench', 'node_modules', '.cache', `parley-bench-${process.pid}`)
  await mkdir(place, { recursive: true })
  const bundled = build({
    entryPoints: [
      ...peers.map((name) => join(root, 'bench', 'peers', `${name}.ts`)),
      ...['probe', 'dynamodb', 'quick-dynamodb'].map((name) => join(root, 'bench', 'machine', `${name}.ts`)),
    ],
    outdir: place,
    entryNames: '[name]',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    packages: 'external',
    platform: 'node',
    target: 'node20',
    format: 'esm',
  })
  const [server] = await Promise.all([transpileServer(), bundled])
  const script = (name: string) => join(place, `${name}.mjs`)
  let demo: Promise<unknown> | undefined
  return {
    server: server.script,
    async whole() {
      const settings = ['build', 'demo', '--outDir', join(server.place, 'demo'), '--logLevel', 'error']
      demo ??= run(join(root, 'node_modules', '.bin', 'vite'), settings, { cwd: root })
      await demo
      return server.script
    },
    probe: script('probe'),
    script,
    async remove() {
      await Promise.all([server.remove(), rm(place, { recursive: true, force: true })])
    },
  }
}
