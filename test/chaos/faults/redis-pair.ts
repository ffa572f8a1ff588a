import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../kit/free-port.ts'
import { type RedisServer, startRedis } from '../../kit/services/redis.ts'
import type { Random } from '../../simulation/random.ts'
import { startRedisProxy } from './redis-proxy.ts'

// There are two real servers, one of them a replica of the other, behind a proxy. After a failover the old master follows the new one, as it
// does when it is run by a sentinel or in a cluster. A node that listens there still hears what is published, because a master sends that to
// its replicas.

export type RedisPair = Awaited<ReturnType<typeof startRedisPair>>

type Member = { server: RedisServer; port: number }

/** Beside a failover some events are lost that were published while the replica lagged behind. */
const lostShare = 0.3
const followsWithinMs = 30_000

const snapshotLua = `
local all = {}
for _, key in ipairs(redis.call('KEYS', '*')) do
  all[#all + 1] = { key, redis.call('PTTL', key), redis.call('DUMP', key) }
end
return all`

export async function startRedisPair(random: Random) {
  let master = await startMember()
  let replica = await startMember()
  const proxy = await startRedisProxy(random, master.port)
  await follow(replica, master)

  return {
    url: proxy.url,
    loseEvents: proxy.loseEvents,
    cutListeners: () => proxy.cutListeners(),
    flush: () => master.server.flush(),
    pause: () => master.server.pause(),
    resume: () => master.server.resume(),
    /** Kills the master, and cuts the connections of all nodes with it. */
    async kill(): Promise<void> {
      await master.server.kill()
      proxy.cutAll()
    },
    /** Starts an empty master in its place. */
    launch: () => master.server.launch(),
    /** Resolves when the replica has what its master has. */
    replicated: () => follow(replica, master),
    /**
     * The replica stops hearing from its master and is promoted after `lagMs`: everything that Redis was told in the meantime is forgotten.
     * It is another process. After two failovers it is the first one again, with the run id it always had.
     */
    async failOver(lagMs: number): Promise<{ hits: number }> {
      await replica.server.raw.replicaof('NO', 'ONE')
      const heal = proxy.loseEvents(lostShare)
      await sleep(lagMs)
      const [promoted, demoted] = [replica, master]
      proxy.moveCommands(promoted.port)
      ;[master, replica] = [promoted, demoted]
      await follow(replica, master)
      return { hits: heal() }
    },
    /**
     * Brings back the state of some time ago, in the same process, with no connection broken. A node sees this if it had no call under way
     * while its master was replaced and took over again. The replication id is another then, as it is after every promotion.
     */
    async rollBack(lagMs: number, onRemembered: () => void = () => undefined): Promise<void> {
      const { raw } = master.server
      const keys = (await raw.callBuffer('EVAL', snapshotLua, '0')) as [Buffer, number, Buffer][]
      onRemembered()
      await sleep(lagMs)
      const restoring = raw.multi().flushall()
      for (const [key, ttlMs, dump] of keys) restoring.call('RESTORE', key, String(Math.max(0, ttlMs)), dump)
      const results = await restoring.call('DEBUG', 'CHANGE-REPL-ID').exec()
      const failed = results?.find(([error]) => error)
      if (failed) throw failed[0]
    },
    async stop(): Promise<void> {
      await proxy.stop()
      await Promise.all([master, replica].map(({ server }) => server.stop()))
    },
    /** Kills all of it without waiting for the end. */
    destroy(): void {
      for (const { server } of [master, replica]) void server.kill()
    },
  }
}

async function startMember(): Promise<Member> {
  const port = await freePort()
  const settings = ['--repl-diskless-sync-delay', '0', '--enable-debug-command', 'yes']
  return { port, server: await startRedis(['--port', String(port), '--bind', '127.0.0.1', ...settings]) }
}

/** Resolves when the replica has what its master has, and hears everything from then on. */
async function follow({ server }: Member, { port }: Member): Promise<void> {
  await server.raw.replicaof('127.0.0.1', port)
  const giveUpAtMs = performance.now() + followsWithinMs
  while (performance.now() < giveUpAtMs) {
    if ((await server.raw.info('replication')).includes('master_link_status:up')) return
    await sleep(50)
  }
  throw new Error(`A Redis replica did not catch up within ${followsWithinMs} ms`)
}
