// parley_leases:{sessions}   hash, as long as any lease is kept: lease → "<heldAtMs> <run id>", Redis's time; with " done" if it was given up
//
// A node holds one lease, to which all its sessions refer, so that a session need not be renewed as often as a killed node must be noticed. A
// lease ends when it was not held for `leaseTtlMs`, and never comes back: a node that was stopped for longer begins another one and registers its
// sessions again under it. One that was held under another Redis process is lost to its node, which then does the same, as Redis may have
// missed sessions.
//
// A session must not outlive its node because Redis has forgotten the lease and not the session. So a session lives 30 s at first, and long only
// once the lease was held after it was made, and only where the lease is: what forgets the lease from then on forgets the session as well, or is
// another Redis process. In a cluster, another master may forget the lease; then its node begins another one, and says that the first has ended.
//
// In a cluster, the script that looks at the sessions of a user cannot read this key. So each node keeps the leases that it found ended when it
// last held its own, and passes them to such scripts. A lease is kept here until no hash of sessions can name it any more.

import type { RedisLink } from '../../engine/redis/client.ts'
import type { SessionLeases } from '../../ports/soft-state.ts'
import type { RedisKeys } from './keys.ts'
import { runIdLua } from './run-id.ts'
import { nowLua } from './time.ts'

/** A node holds its lease every 5 s. Others then know within 25 s that it was killed. */
export const leaseTtlMs = 20_000
/** This is longer than a hash of sessions lives after its last use. */
export const leaseKeptMs = 7_200_000

/** The leases that have ended, as text: ' <lease>:<heldAtMs> <lease>:<heldAtMs> ', or ' ' where there is none. */
export type EndedLeases = { ended(): string }

export function createSessionLeasesRedis(link: RedisLink, keys: RedisKeys): SessionLeases & EndedLeases {
  const hold = link.script(holdLua, 1)
  const giveUp = link.script(giveUpLua, 1)
  let ended = ' '

  async function ask(leaseId: string, begins: 0 | 1, lostId = ''): Promise<{ isHeld: boolean; died: string[] }> {
    const [isHeld, others, died] = (await link.roundTrip('sessions.lease', () =>
      hold([keys.sessionLeases], [leaseId, begins, leaseTtlMs, leaseKeptMs, lostId]),
    )) as [number, string, string[]]
    ended = others
    return { isHeld: isHeld === 1, died }
  }

  return {
    begin: async (leaseId, lostId) => void (await ask(leaseId, 1, lostId)),
    hold: (leaseId) => ask(leaseId, 0),
    async giveUp(leaseId) {
      await link.roundTrip('sessions.lease', () => giveUp([keys.sessionLeases], [leaseId, leaseTtlMs, leaseKeptMs]))
    },
    ended: () => ended,
  }
}

// KEYS[1] hash     the leases
// ARGV[1] string   a lease
// ARGV[2] integer  1 if it begins
// ARGV[3] integer  TTL of a lease, ms
// ARGV[4] integer  how long a lease is kept, ms
// ARGV[5] string   the lease that this one follows, or ''
// Returns 1 if the lease is held from now on, the leases that have ended, and the names of those that were not given up.
const holdLua = `${runIdLua}${nowLua}
local now, run = now_ms(), run_id() or '-'
local ttl_ms, kept_ms = tonumber(ARGV[3]), tonumber(ARGV[4])
local held_ms, held_run = string.match(redis.call('HGET', KEYS[1], ARGV[1]) or '', '^(%d+) (%S+)$')
local held = ARGV[2] == '1' or (held_run == run and tonumber(held_ms) + ttl_ms > now)
if held then
  redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f', now) .. ' ' .. run)
  redis.call('PEXPIRE', KEYS[1], kept_ms)
end
if ARGV[5] ~= '' then
  local lost_ms = tonumber(string.match(redis.call('HGET', KEYS[1], ARGV[5]) or '', '^%d+')) or now
  redis.call('HSET', KEYS[1], ARGV[5], string.format('%.0f', math.min(lost_ms, now - ttl_ms)) .. ' ' .. run)
end
local ended, died = ' ', {}
local leases = redis.call('HGETALL', KEYS[1])
for i = 1, #leases, 2 do
  local at = string.match(leases[i + 1], '^%d+')
  if tonumber(at) + kept_ms <= now then
    redis.call('HDEL', KEYS[1], leases[i])
  elseif tonumber(at) + ttl_ms <= now then
    ended = ended .. leases[i] .. ':' .. at .. ' '
    if not string.match(leases[i + 1], ' done$') then died[#died + 1] = leases[i] end
  end
end
return {held and 1 or 0, ended, died}
`

// KEYS[1] hash     the leases
// ARGV[1] string   a lease
// ARGV[2] integer  TTL of a lease, ms
// ARGV[3] integer  how long a lease is kept, ms
const giveUpLua = `${runIdLua}${nowLua}
local ended_ms = now_ms() - tonumber(ARGV[2])
redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f', ended_ms) .. ' ' .. (run_id() or '-') .. ' done')
redis.call('PEXPIRE', KEYS[1], ARGV[3])
`
