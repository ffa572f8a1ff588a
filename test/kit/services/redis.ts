import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'

export type RedisServer = Awaited<ReturnType<typeof startRedis>>

/** Starts a real redis-server on a unix socket. */
export async function startRedis(options: readonly string[] = []) {
  const dir = await mkdtemp(join(tmpdir(), 'parley-redis-'))
  const socket = join(dir, 'redis.sock')
  let child = launch()
  const raw = new Redis(socket, { maxRetriesPerRequest: null, retryStrategy: () => 10 })
  raw.on('error', () => undefined)
  await raw.ping()

  function launch(): ChildProcess {
    const settings = [
      '--port',
      '0',
      '--unixsocket',
      socket,
      '--dir',
      dir,
      '--save',
      '',
      '--appendonly',
      'no',
      ...options,
    ]
    return spawn('sh', ['-c', guarded, 'sh', ...settings], { stdio: ['pipe', 'ignore', 'ignore'] })
  }

  async function end(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }

  return {
    url: `unix://${socket}`,
    pid: () => child.pid ?? 0,
    /** Tests use this connection to look at keys directly. */
    raw,
    flush: async () => void (await raw.flushall()),
    killSubscribers: () => killSubscribers(raw),
    /** Stops answering commands until `resume`. */
    pause: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
    /** Kills it at once. It stays dead until `launch`. */
    kill: end,
    async launch(): Promise<void> {
      child = launch()
      await raw.ping()
    },
    /** Starts another process with the same data, as after a restart from a dump or a failover. */
    async failover(): Promise<void> {
      await raw.save()
      await end()
      child = launch()
      await raw.ping()
    },
    async stop(): Promise<void> {
      raw.disconnect()
      await end()
      await rm(dir, { recursive: true })
    },
  }
}

// In whatever way this process ends, its end of the pipe is closed, and that ends the server.
const guarded = 'exec 3<&0; { cat <&3 >/dev/null; kill -9 $$; } & exec redis-server "$@" </dev/null 3<&-'

/** Closes the connections that listen, from the server's side. */
export async function killSubscribers(raw: Redis): Promise<void> {
  const clients = String(await raw.client('LIST')).split('\n')
  const listening = clients.filter((client) => /\bflags=\w*P/.test(client))
  for (const client of listening) await raw.client('KILL', 'ID', /\bid=(\d+)/.exec(client)?.[1] ?? '')
}
