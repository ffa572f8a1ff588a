// users, the row "#deployment"   deployment_id: made at the first start on these tables and never changed. No user id can hold a '#'.
// users, the row "#copy"         deployment_id: these tables are being filled with the rows of that deployment (src/copy). There is no row
//                                "#deployment" yet, which is copied last: so no node starts on half a copy.
// users, the row "#ready"        written by every node every few seconds, which proves that it can
// parley_deployment              string: which tables use Redis under this prefix, as "<id> <tables>"; 1 minute, renewed by every node
//
// Two deployments under one prefix would hear each other's events and use each other's counters. So a node compares at its start, and does
// not start where another deployment's tables use the prefix. The key is a lease: after FLUSHALL or a failover the next renewal sets it again, and
// a deployment that has ended leaves nothing behind. If two meet while they run, one has the lease, and the nodes of the other stop.
// The name of the tables is part of it, since tables restored from a backup under another prefix bear the id of the original.

import type { RedisLink } from '../engine/redis/client.ts'
import type { UserId } from '../protocol/ids.ts'
import { runIdLua } from './redis/run-id.ts'
import { nowLua } from './redis/time.ts'
import type { Item, Key } from './rows/tables.ts'

const deploymentLeaseMs = 60_000
export const deploymentKey = { user_id: '#deployment' as UserId }
export const readyKey = { user_id: '#ready' as UserId }
export const copyKey = { user_id: '#copy' as UserId }

/** The table `users`, of any store. `create` puts the row IF there is none. */
type Users = {
  get(key: Key<'users'>): Promise<Partial<Item<'users'>> | undefined>
  create(row: Key<'users'> & Partial<Item<'users'>>): Promise<void>
}

/** Returns the id of these tables. If several nodes start at once, one makes the id and all read it. */
export async function readDeploymentId(users: Users, randomId: () => string): Promise<string> {
  const known = (await users.get(deploymentKey))?.deployment_id
  if (known !== undefined) return known
  if (await users.get(copyKey))
    throw new Error(
      'These tables are the target of a copy that has not ended. Run `parley copy` again as before: it goes on.',
    )
  await users.create({ ...deploymentKey, deployment_id: randomId() })
  const kept = (await users.get(deploymentKey))?.deployment_id
  if (kept === undefined) throw new Error('The table users has a row #deployment without deployment_id.')
  return kept
}

/** This node must not use this Redis under this prefix: it must not start, nor go on. */
export class UnusableRedisError extends Error {}

type Deployment = { id: string /** The prefix of the tables, and the region where that is told. */; tables: string }

/** Leases the prefix in Redis, and returns what time it is there, in ms. Rejects with UnusableRedisError if another deployment has it, or if Redis does not say its run id. */
export function createDeploymentLease(link: RedisLink, keyPrefix: string, { id, tables }: Deployment) {
  const lease = link.script(leaseLua, 1)
  const key = `${keyPrefix}deployment`
  const own = `${id} ${tables}`

  return async (): Promise<number> => {
    const answer = await link.roundTrip('deployment.lease', () => lease([key], [own, deploymentLeaseMs]))
    const [holder, runId, nowMs] = answer as [string, string | null, number]
    // Without a run id, what Redis remembers would be trusted after a failover too, and seqs would be given twice.
    if (runId === null)
      throw new UnusableRedisError(
        'Redis does not tell which one it is: its scripts may not call INFO, by which a failover is noticed. Allow it to the user of ' +
          'REDIS_URL (ACL SETUSER <user> +info), and do not rename the command.',
      )
    if (holder === own) return nowMs
    const [otherId, ...otherTables] = holder.split(' ')
    throw new UnusableRedisError(
      `Another deployment uses this Redis under the prefix ${keyPrefix}: ${otherId} with the tables ${otherTables.join(' ')}; this one is ` +
        `${id} with the tables ${tables}. Set REDIS_PREFIX to a prefix of its own. If the other one has ended, it is forgotten a minute later, ` +
        `or with DEL ${key}.`,
    )
  }
}

// KEYS[1] string   which deployment uses the prefix
// ARGV[1] string   the one that asks
// ARGV[2] integer  length of the lease, ms
// Returns which deployment has the lease now, the run id (nil where Redis does not say it, and then the lease is not taken), and the time.
const leaseLua = `${runIdLua}${nowLua}
local holder = redis.call('GET', KEYS[1])
if run_id() and (not holder or holder == ARGV[1]) then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  holder = ARGV[1]
end
return { holder or '', run_id() or false, now_ms() }
`
