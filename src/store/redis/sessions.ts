// parley_sessions:{userId}   hash, from the first attach to the end of the last session, 1½ hours at most after its last use
//   <lease>.<connectionId>   "state|scope|expiresAtMs": syncing, online or left; '*' or a conversation id; Redis's time. It ends with its lease
//                            (session-leases.ts), and 30 s after its attach or 30 minutes after a lasting renewal, whatever comes first.
//                            Earlier releases write it without a lease
//   @                        the run id (store/redis/run-id.ts) under which the first of them attached
//   !                        "1": a session ended uncleanly, or Redis forgot one; what was sent to it may be in no index
// parley_attached:{userId}   string, "<expiresAtMs> <lease>.<connectionId>": one of those sessions, for all conversations, that lives for long. It
//                            says nothing that the hash does not say, and is gone before its session has left. Whoever publishes an entry reads
//                            it for all members at once; without it, or after its lease has ended, they read the hash
// parley_complete:{userId}   string, the mark pendingIndexComplete: the run id under which it was set; 30 days
// parley_seen:{userId}       string, the last sign of life of any session, its end included, ms of Redis's time; 30 days
//
// The mark must never stand while a message waits for the user that neither the pending index nor a session accounts for.
// - Only a session for all conversations can set it: it has looked into everything at its attach, unless there was a mark, and has heard
//   everything since. When it leaves, it stays in the hash as `left` until its setPendingIndexComplete, as it may still be writing pending
//   rows. If its node dies first, the field expires like any other, which is an unclean end.
// - The mark is set only on evidence: the last session goes, it is one that has left, and there is no '!'. An empty hash proves nothing, as
//   Redis may have forgotten.
// - A session for one conversation does not matter, except after the last one for all conversations has left: what was sent to it since is
//   heard by no other session, and it may die before it has written pending rows. Then it sets '!'.
// - A session that Redis turns out to have forgotten sets '!': others may be forgotten, too.
// - A failover, or a restart from a dump, brings back marks that were cleared since; none of them has the current run id. A session that
//   attached under another run id may not set the mark either: the new process may never have seen what the session heard last, and the
//   counters, by which a later stream could tell, are behind as well.
//
// A user's presence is online if any session is, else syncing if any is, else offline. Each script that changes it publishes that. A session
// whose node was killed ends without an event, so watching streams look again periodically. `seen` is then the time when its lease was last held.
//
// The last argument of every script that reads sessions are the leases that have ended, as this node knows them.

import type { RedisLink } from '../../engine/redis/client.ts'
import type { Presence, Session, Sessions } from '../../ports/soft-state.ts'
import type { UserId } from '../../protocol/ids.ts'
import { encodeEvent } from './event-wire.ts'
import { dayMs, type RedisKeys } from './keys.ts'
import { runIdLua } from './run-id.ts'
import type { EndedLeases } from './session-leases.ts'
import { nowLua } from './time.ts'

export const sessionTtlMs = 30_000
/** It is three times as long as from one lasting renewal to the next. */
export const lastingTtlMs = 1_800_000
export const sessionsKeyTtlMs = 3_600_000
export const pendingIndexCompleteTtlMs = 30 * dayMs
export const seenTtlMs = 30 * dayMs

export function createSessionsRedis(
  link: RedisLink,
  keys: RedisKeys,
  leases: EndedLeases,
  shortTtlMs = sessionTtlMs,
): Sessions {
  const attach = link.script(attachLua, 3)
  const leasesHere = link.isCluster ? [] : [keys.sessionLeases]
  const renew = link.script(renewLua, 4 + leasesHere.length)
  const leave = link.script(leaveLua, 3)
  const markIndexComplete = link.script(setPendingIndexCompleteLua, 2)
  const presence = link.script(presenceLua, 1)
  const seen = link.script(seenLua, 2)

  const keysOf = (userId: UserId) => [keys.sessions(userId), keys.pendingIndexComplete(userId)]
  const argsOf = ({ userId, connectionId, conversationId, leaseId }: Session, lasting = false) => {
    const ttlMs = lasting ? lastingTtlMs : shortTtlMs
    return [
      leaseId === undefined ? connectionId : `${leaseId}.${connectionId}`,
      conversationId ?? '*',
      ttlMs,
      ttlMs + sessionsKeyTtlMs,
      seenTtlMs,
      keys.presenceChannel(userId),
      encodeEvent({ type: 'presence', userId }),
    ]
  }

  return {
    async attach(session) {
      const { userId } = session
      const complete = await link.roundTrip('sessions.attach', () =>
        attach([...keysOf(userId), keys.seen(userId)], [...argsOf(session), leases.ended()]),
      )
      return { pendingIndexComplete: complete === 1 }
    },

    async renew(sessions) {
      await link.roundTrip('sessions.renew', () =>
        Promise.all(
          sessions.map(({ session, state, lasting }) =>
            renew(
              [
                ...keysOf(session.userId),
                keys.seen(session.userId),
                keys.lastingSession(session.userId),
                ...leasesHere,
              ],
              [...argsOf(session, lasting), state, lasting ? 1 : 0, session.leaseId ?? '', shortTtlMs, leases.ended()],
            ),
          ),
        ),
      )
    },

    async leave(session) {
      const { userId } = session
      await link.roundTrip('sessions.leave', () =>
        leave(
          [keys.sessions(userId), keys.seen(userId), keys.lastingSession(userId)],
          [...argsOf(session), leases.ended()],
        ),
      )
    },

    async setPendingIndexComplete(userId) {
      await link.roundTrip('sessions.markIndexComplete', () =>
        markIndexComplete(keysOf(userId), [pendingIndexCompleteTtlMs, leases.ended()]),
      )
    },

    async presence(userIds) {
      const states = await link.roundTrip('sessions.presence', () =>
        Promise.all(userIds.map((userId) => presence([keys.sessions(userId)], [leases.ended()]))),
      )
      return states.map(toPresence)
    },

    async forget(userId) {
      const own = [
        ...keysOf(userId),
        keys.seen(userId),
        keys.lastingSession(userId),
        keys.indexStamp(userId),
        keys.tickStamp(userId),
      ]
      await link.roundTrip('sessions.forget', () => link.commands.del(...own))
    },

    async seen(userIds) {
      const all = await link.roundTrip('sessions.seen', () =>
        Promise.all(
          userIds.map((userId) => seen([keys.sessions(userId), keys.seen(userId)], [seenTtlMs, leases.ended()])),
        ),
      )
      return all.map((each) => {
        const [state, atMs] = each as [string, string | null]
        const presence = toPresence(state)
        return presence === 'offline' && atMs !== null ? { presence, lastSeenAtMs: Number(atMs) } : { presence }
      })
    },
  }
}

const toPresence = (state: unknown): Presence => (state === 'online' || state === 'syncing' ? state : 'offline')

/** Defines what every script that reads sessions needs. */
export const sessionsLua = `${nowLua}
local ended_leases = ARGV[#ARGV]

-- When the lease of this session was last held, if it has ended.
local function lease_ended_ms(connection_id)
  if #ended_leases < 2 then return nil end
  local lease = string.match(connection_id, '^([^.]*)%.')
  if not lease then return nil end
  local _, last = string.find(ended_leases, ' ' .. lease .. ':', 1, true)
  return last and tonumber(string.match(ended_leases, '^%d+', last + 1))
end

-- visit(connection_id, state, scope, expires_ms) for every session in the hash; one whose lease has ended has expired
local function each_session(key, visit)
  local entries = redis.call('HGETALL', key)
  for i = 1, #entries, 2 do
    local state, scope, expires_ms = string.match(entries[i + 1], '^(%a+)|([^|]*)|(%d+)$')
    if state then visit(entries[i], state, scope, lease_ended_ms(entries[i]) and 0 or tonumber(expires_ms)) end
  end
end
`

const presenceOfLua = `
-- 'online', 'syncing' or 'offline'
local function presence_of(key, now)
  local presence = 'offline'
  each_session(key, function(_, state, _, expires_ms)
    if expires_ms <= now or state == 'left' or presence == 'online' then return end
    presence = state
  end)
  return presence
end
`

const writingLua = `${sessionsLua}${presenceOfLua}${runIdLua}
local function put_session(key, connection_id, state, scope, expires_ms)
  redis.call('HSET', key, connection_id, state .. '|' .. scope .. '|' .. string.format('%.0f', expires_ms))
end

-- Takes out what has expired, each an unclean end. Returns how many remain, and the id of one that has left.
local function prune(key, now)
  local remaining, left = 0, nil
  each_session(key, function(connection_id, state, _, expires_ms)
    if expires_ms <= now then
      redis.call('HDEL', key, connection_id)
      redis.call('HSET', key, '!', '1')
    else
      remaining = remaining + 1
      if state == 'left' then left = connection_id end
    end
  end)
  return remaining, left
end

-- A sign of life. If what act does to the sessions changes what is shown of the user, those who watch the user are told.
local function watched(now, key, seen_key, seen_ttl_ms, channel, event, act)
  redis.call('SET', seen_key, string.format('%.0f', now), 'PX', seen_ttl_ms)
  local before = presence_of(key, now)
  local result = act()
  if presence_of(key, now) ~= before then publish(channel, event) end
  return result
end
`

// KEYS[1] hash     the user's sessions
// KEYS[2] string   the user's mark
// KEYS[3] string   when the user was last seen
// ARGV[1] string   connection id
// ARGV[2] string   scope: '*' or a conversation id
// ARGV[3] integer  TTL of the session, ms
// ARGV[4] integer  TTL of the hash, ms
// ARGV[5] integer  TTL of when the user was last seen, ms
// ARGV[6] string   the channel of those who watch the user
// ARGV[7] string   the event
// ARGV[8] string   the leases that have ended
// Returns 1 if the mark was there.
const attachLua = `${writingLua}
local now = now_ms()
return watched(now, KEYS[1], KEYS[3], ARGV[5], ARGV[6], ARGV[7], function()
  prune(KEYS[1], now)
  local mark, run = redis.call('GET', KEYS[2]), run_id()
  local complete = mark and mark == run
  redis.call('DEL', KEYS[2])
  put_session(KEYS[1], ARGV[1], 'syncing', ARGV[2], now + ARGV[3])
  redis.call('HSETNX', KEYS[1], '@', run or '')
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
  return complete and 1 or 0
end)
`

// A session that has left stays so: the end of a session may overtake its renewal. Since the lease was held, Redis may have been replaced by a
// replica that does not have it. Then the renewal is not for long: if nothing more was heard of its node, nothing would end the session.
// KEYS[1] hash     the user's sessions
// KEYS[2] string   the user's mark
// KEYS[3] string   when the user was last seen
// KEYS[4] string   a session of the user that lives for long
// KEYS[5] hash     the leases; not in a cluster, where they are in another slot
// ARGV[1] string   connection id
// ARGV[2] string   scope: '*' or a conversation id
// ARGV[3] integer  TTL of the session, ms
// ARGV[4] integer  TTL of the hash, ms
// ARGV[5] integer  TTL of when the user was last seen, ms
// ARGV[6] string   the channel of those who watch the user
// ARGV[7] string   the event
// ARGV[8] string   state: syncing or online
// ARGV[9] integer  1 if it is renewed for long
// ARGV[10] string  its lease, or ''
// ARGV[11] integer TTL of the session if its lease is not there, ms
// ARGV[12] string  the leases that have ended
const renewLua = `${writingLua}
local ttl_ms, lasting = ARGV[3], ARGV[9] == '1'
if lasting and KEYS[5] and ARGV[10] ~= '' and redis.call('HEXISTS', KEYS[5], ARGV[10]) == 0 then
  ttl_ms, lasting = ARGV[11], false
end
local session = redis.call('HGET', KEYS[1], ARGV[1])
if session and string.sub(session, 1, 5) == 'left|' then return 0 end
local now = now_ms()
if lasting and ARGV[2] == '*' then
  redis.call('SET', KEYS[4], string.format('%.0f', now + ttl_ms) .. ' ' .. ARGV[1], 'PX', ttl_ms)
end
-- Nearly always the session only lives on, which changes nothing that is shown: the other sessions need not be read.
local state, expires_ms = string.match(session or '', '^(%a+)|[^|]*|(%d+)$')
if state == ARGV[8] and tonumber(expires_ms) > now then
  redis.call('SET', KEYS[3], string.format('%.0f', now), 'PX', ARGV[5])
  put_session(KEYS[1], ARGV[1], ARGV[8], ARGV[2], now + ttl_ms)
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
  return 1
end
return watched(now, KEYS[1], KEYS[3], ARGV[5], ARGV[6], ARGV[7], function()
  if not session then
    redis.call('HSET', KEYS[1], '!', '1')
    redis.call('DEL', KEYS[2])
  end
  put_session(KEYS[1], ARGV[1], ARGV[8], ARGV[2], now + ttl_ms)
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
  return 1
end)
`

// KEYS[1] hash     the user's sessions
// KEYS[2] string   when the user was last seen
// KEYS[3] string   a session of the user that lives for long
// ARGV[1] string   connection id
// ARGV[2] string   scope: '*' or a conversation id
// ARGV[3] integer  TTL of the session, ms
// ARGV[4] integer  TTL of the hash, ms
// ARGV[5] integer  TTL of when the user was last seen, ms
// ARGV[6] string   the channel of those who watch the user
// ARGV[7] string   the event
// ARGV[8] string   the leases that have ended
const leaveLua = `${writingLua}
local now = now_ms()
-- It may be that of another device, for which the hash speaks until its next renewal.
if ARGV[2] == '*' then redis.call('DEL', KEYS[3]) end
return watched(now, KEYS[1], KEYS[2], ARGV[5], ARGV[6], ARGV[7], function()
  local known = redis.call('HDEL', KEYS[1], ARGV[1]) == 1
  if ARGV[2] == '*' then
    if not known then redis.call('HSET', KEYS[1], '!', '1') end
    put_session(KEYS[1], ARGV[1], 'left', ARGV[2], now + ARGV[3])
  else
    local others, heard, leaving = 0, false, false
    each_session(KEYS[1], function(_, state, scope, expires_ms)
      others = others + 1
      leaving = leaving or state == 'left'
      heard = heard or (scope == '*' and state ~= 'left' and expires_ms > now)
    end)
    if others == 0 then return redis.call('DEL', KEYS[1]) end
    if leaving and not heard then redis.call('HSET', KEYS[1], '!', '1') end
  end
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
  return 1
end)
`

// KEYS[1] hash     the user's sessions
// KEYS[2] string   the user's mark
// ARGV[1] integer  TTL of the mark, ms
// ARGV[2] string   the leases that have ended
const setPendingIndexCompleteLua = `${writingLua}
local remaining, left = prune(KEYS[1], now_ms())
if not left then return 0 end
redis.call('HDEL', KEYS[1], left)
if remaining > 1 then return 0 end
local run, born = run_id(), redis.call('HGET', KEYS[1], '@')
if run and run == born and redis.call('HEXISTS', KEYS[1], '!') == 0 then
  redis.call('SET', KEYS[2], run, 'PX', ARGV[1])
end
redis.call('DEL', KEYS[1])
return 1
`

// KEYS[1] hash     the user's sessions
// ARGV[1] string   the leases that have ended
// Returns 'online', 'syncing' or 'offline'.
const presenceLua = `${sessionsLua}${presenceOfLua}
return presence_of(KEYS[1], now_ms())
`

// What a lease says is kept, so that it does not go back when the lease is forgotten.
// KEYS[1] hash     the user's sessions
// KEYS[2] string   when the user was last seen
// ARGV[1] integer  TTL of when the user was last seen, ms
// ARGV[2] string   the leases that have ended
// Returns {'online', 'syncing' or 'offline', when or nil}.
const seenLua = `${sessionsLua}${presenceOfLua}
local presence, seen = presence_of(KEYS[1], now_ms()), redis.call('GET', KEYS[2])
local latest = tonumber(seen or '0')
each_session(KEYS[1], function(connection_id, state)
  local ended = state ~= 'left' and lease_ended_ms(connection_id) or 0
  if ended > latest then latest = ended end
end)
if latest > tonumber(seen or '0') then
  seen = string.format('%.0f', latest)
  redis.call('SET', KEYS[2], seen, 'PX', ARGV[1])
end
return {presence, seen}
`
