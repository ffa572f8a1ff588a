import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { createRedisServer } from 'js-redis-server'
import type { EmbeddedBackend } from './embedded-backend.ts'

/** Starts a Redis that keeps nothing over a restart, since it holds soft state alone. */
export async function startRedis(onExit: (reason: string) => void): Promise<EmbeddedBackend> {
  const version = await installedVersion()
  return version === undefined ? startJavaScriptRedis() : startRedisServer(version, onExit)
}

async function installedVersion(): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)('redis-server', ['--version'])
    return /v=(\S+)/.exec(stdout)?.[1]
  } catch {
    return undefined
  }
}

async function startRedisServer(version: string, onExit: (reason: string) => void): Promise<EmbeddedBackend> {
  const dir = await mkdtemp(join(shortTmpdir(), 'parley-'))
  const socket = join(dir, 'redis.sock')
  const child = spawn('sh', ['-c', guarded, 'sh', dir, socket], { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  const ended = once(child, 'exit')
  await waitUntilAnswering(socket, child)
  const lost = () => onExit('redis-server ended')
  child.once('exit', lost)
  return {
    url: `unix://${socket}`,
    description: `redis-server ${version}, in memory`,
    async stop() {
      child.off('exit', lost)
      child.stdin?.end()
      await ended
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/**
 * Redis runs in a session of its own, as a Ctrl-C in the terminal would end it before the server has drained. The watcher beside it
 * ends it and removes its directory as soon as our end of the pipe is closed, which also kill -9 does.
 *
 * $1 the directory, $2 the socket in it
 */
const guarded = `
exec 3<&0
{ cat <&3 >/dev/null; kill $$; rm -rf "$1"; } &
exec redis-server --port 0 --unixsocket "$2" --unixsocketperm 700 --dir "$1" --save '' --appendonly no </dev/null 3<&-
`

async function waitUntilAnswering(socket: string, child: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 500; attempt += 1) {
    if (child.exitCode !== null || child.signalCode !== null) break
    if (await connects(socket)) return
    await sleep(20)
  }
  child.stdin?.end()
  throw new Error('redis-server is installed but does not start.')
}

const connects = (socket: string): Promise<boolean> =>
  new Promise((resolve) => {
    const connection = connect(socket)
    connection.once('connect', () => resolve(true)).once('error', () => resolve(false))
    connection.once('connect', () => connection.destroy())
  })

/** A socket's path has about a hundred characters at most. */
const shortTmpdir = (): string => (tmpdir().length > 60 ? '/tmp' : tmpdir())

/** Starts it in this very process, so it needs no stopping. It listens on every interface at first, so it is made to listen again. */
async function startJavaScriptRedis(): Promise<EmbeddedBackend> {
  const { server } = await createRedisServer()
  const listener = server.server
  listener.close()
  await once(listener, 'close')
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  return {
    url: `redis://127.0.0.1:${server.getPort()}`,
    description: 'js-redis-server, in memory (redis-server is not installed)',
    stop: async () => undefined,
  }
}
