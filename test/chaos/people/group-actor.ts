import type { Role } from '../../../src/ports/conversations.ts'
import type { Random } from '../../simulation/random.ts'
import { answerOf, type GroupCall, type GroupRequest, refusalOf } from '../checks/history.ts'
import type { ChaosClient } from './client.ts'
import type { GroupHints } from './group-hints.ts'
import { pause } from './sender.ts'

// Plays a user who creates groups and changes them: adds, removes, gives roles, renames, leaves and looks. The user repeats each change until
// it is answered or refused for good, and makes some of them at two nodes at once.

type GroupActorOptions = {
  client: ChaosClient
  users: readonly string[]
  hints: GroupHints
  random: Random
  nodes: readonly string[]
  /** This user creates so many groups while there are faults. */
  founds: number
  quiet: AbortSignal
  over: AbortSignal
  meanPauseMs: number
}

/** In a group this small no member is removed, and none leaves. */
const small = 3

export async function runGroupActor(options: GroupActorOptions): Promise<void> {
  const { client, users, hints, random, quiet, meanPauseMs } = options
  const { userId } = client
  const name = client.client.replace('/', '.')
  const attempt = createAttempt(options)
  for (let n = 1; n <= options.founds; n += 1) {
    await pause(random.between(100, 1500), quiet)
    await attempt('', foundingOf(`${name}-group-${n}`, userId, users, random))
  }
  for (let n = 1; !quiet.aborted; n += 1) {
    await pause(random.between(meanPauseMs / 2, meanPauseMs * 1.5), quiet)
    const governed = hints.ids().filter((id) => (hints.member(userId, id)?.role ?? 'MEMBER') !== 'MEMBER')
    const ids = governed.length > 0 && !random.chance(0.25) ? governed : hints.ids()
    if (quiet.aborted || ids.length === 0) continue
    const conversationId = random.pick(ids)
    const request = requestFor({ userId, conversationId, users, hints, random, title: `${name}-${n}` })
    const outcome = await attempt(conversationId, request)
    // Now and then a user who was taken out is added again at once: what they hold is from before.
    if (outcome && request.type === 'members' && request.remove.length > 0 && random.chance(0.5))
      await attempt(conversationId, { type: 'members', add: request.remove, remove: [], roles: [] })
  }
}

export const foundingOf = (name: string, userId: string, users: readonly string[], random: Random): GroupRequest => ({
  type: 'create',
  clientGroupId: name,
  title: name,
  memberIds: users.filter((each) => each !== userId && random.chance(0.6)),
})

/** Repeats a call that is not answered. Returns whether it was acknowledged. */
export function createAttempt({
  client,
  hints,
  random,
  nodes,
  over,
}: Omit<GroupActorOptions, 'users' | 'founds' | 'quiet' | 'meanPauseMs'>) {
  return async function attempt(conversationId: string, request: GroupRequest): Promise<boolean> {
    while (!over.aborted) {
      const first = random.below(nodes.length)
      const chosen = [nodes[first], ...(random.chance(0.12) ? [nodes[(first + 1) % nodes.length]] : [])]
      const calls: GroupCall[] = await Promise.all(chosen.map((node) => client.group(conversationId, request, node)))
      for (const call of calls) hints.hear(call)
      if (calls.some(answerOf)) return true
      if (calls.some((call) => refusalOf(call)?.retryable === false)) return false
      await pause(random.between(50, 600), over)
    }
    return false
  }
}

type RequestContext = {
  userId: string
  conversationId: string
  users: readonly string[]
  hints: GroupHints
  random: Random
  title: string
}

export function requestFor({ userId, conversationId, users, hints, random, title }: RequestContext): GroupRequest {
  const inside = hints.members(conversationId).map((each) => each.userId)
  const others = inside.filter((each) => each !== userId)
  const outside = users.filter((each) => !inside.includes(each) && each !== userId)
  const members = { type: 'members' as const, add: [] as string[], remove: [] as string[], roles: [] }
  const draw = random.next()
  if (draw < 0.06) return { type: 'look' }
  if (draw < 0.14) return { type: 'rename', title }
  if (draw < 0.2 && inside.length > small) return { type: 'leave' }
  if (draw < 0.3 && others.length > 0) {
    const role = random.pick<Role>(['ADMIN', 'ADMIN', 'OWNER', 'MEMBER'])
    return { ...members, roles: [{ userId: random.pick(others), role }] }
  }
  if (draw < 0.65 && inside.length > small && others.length > 0) {
    const add = outside.length > 0 && random.chance(0.3) ? [random.pick(outside)] : []
    return { ...members, add, remove: [random.pick(others)] }
  }
  return { ...members, add: outside.length > 0 ? [random.pick(outside)] : others.slice(0, 1) }
}
