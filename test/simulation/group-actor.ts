import type { Group, Role } from '../../src/ports/conversations.ts'
import type { ClientMessageId, ConversationId, UserId } from '../../src/protocol/ids.ts'
import { client, messageOf } from './clients.ts'
import type { GroupRequest } from './history.ts'
import type { Owner } from './scheduler.ts'
import type { SimulatedNode, World } from './world.ts'

const passing = ['UNAVAILABLE', 'connection lost', 'connection refused']

/** Makes one attempt. `failed`: the outcome is unknown, so it has to be repeated. `denied`: it is refused for good. */
async function changeGroup(
  world: World,
  owner: Owner,
  userId: UserId,
  request: GroupRequest,
): Promise<'done' | 'failed' | 'denied'> {
  const { history } = world
  const node = world.random.pick(world.nodes)
  const since = history.entries.length
  history.note(owner.name, { kind: 'asks', userId, request, node: node.owner.name })
  try {
    const group = await carryOut(world, owner, node, userId, request)
    history.note(owner.name, { kind: 'answered', userId, request, group, since })
    if (group) world.groups.add(group.id)
    return 'done'
  } catch (error) {
    const what = messageOf(error)
    if (passing.includes(what)) {
      history.note(owner.name, { kind: 'failed', what: request.type, error: what })
      return 'failed'
    }
    history.note(owner.name, { kind: 'denied', userId, request, error: what, since })
    return 'denied'
  }
}

async function carryOut(
  world: World,
  owner: Owner,
  node: SimulatedNode,
  userId: UserId,
  request: GroupRequest,
): Promise<Group | undefined> {
  return world.ask(owner, node, async ({ access, groups }) => {
    if (request.type === 'create') {
      const clientGroupId = request.clientGroupId as ClientMessageId
      return asGroup(await groups.create(userId, { ...request, clientGroupId }))
    }
    const member = await access.member(userId, request.conversationId)
    if (request.type === 'leave') return void (await groups.leave(member))
    if (request.type === 'rename') return asGroup(await groups.rename(member, request.title))
    return asGroup(await groups.updateMembers(member, request))
  })
}

function asGroup({ conversation }: { conversation: { kind: string } }): Group {
  if (conversation.kind !== 'GROUP') throw new Error('Not a group')
  return conversation as Group
}

/** Creates a group with some of the other users, and repeats that until it gets an answer. */
export async function runFounder(world: World, userId: UserId, clientGroupId: string): Promise<void> {
  const { random, scheduler, users } = world
  const owner = client(`${userId}-f`)
  await scheduler.sleep(owner, random.between(0, 1500))
  const memberIds = users.filter((each) => each !== userId && random.chance(0.7))
  const request: GroupRequest = { type: 'create', clientGroupId, title: clientGroupId, memberIds }
  const twice = random.chance(0.4) ? changeGroup(world, owner, userId, request) : undefined
  await retryUntilAnswered(world, owner, userId, request)
  await twice
  if (random.chance(0.3)) await changeGroup(world, owner, userId, request)
}

/** All actors wait for the next round now and then, and so act at once. */
const roundMs = 2000

/**
 * Adds, removes, promotes and demotes people, renames and leaves. It repeats each change until it is acknowledged or denied, makes some of them
 * twice at once, and adds some of the removed people again at once. The actor need not be in the group; then it is denied.
 */
export async function runGroupActor(world: World, userId: UserId, count: number): Promise<void> {
  const { random, scheduler } = world
  const owner = client(`${userId}-g`)
  for (let i = 1; i <= count; i += 1) {
    const pauseMs = random.chance(0.5) ? roundMs - (scheduler.now() % roundMs) : random.between(0, 2 * roundMs)
    await scheduler.sleep(owner, pauseMs)
    if (world.groups.size === 0) continue
    const request = randomRequest(world, userId, random.pick([...world.groups]), `${owner.name} ${i}`)
    const twice = random.chance(0.2) ? changeGroup(world, owner, userId, request) : undefined
    const outcome = await retryUntilAnswered(world, owner, userId, request)
    await twice
    if (outcome === 'done' && request.type === 'members' && request.remove.length > 0 && random.chance(0.6)) {
      await retryUntilAnswered(world, owner, userId, { ...request, add: request.remove, remove: [], roles: [] })
    }
  }
}

export async function retryUntilAnswered(
  world: World,
  owner: Owner,
  userId: UserId,
  request: GroupRequest,
): Promise<'done' | 'denied'> {
  for (;;) {
    const outcome = await changeGroup(world, owner, userId, request)
    if (outcome !== 'failed') return outcome
    await world.scheduler.sleep(owner, world.random.between(10, 3000))
  }
}

function randomRequest(
  { random, users }: World,
  userId: UserId,
  conversationId: ConversationId,
  title: string,
): GroupRequest {
  const others = users.filter((each) => each !== userId)
  const draw = random.next()
  if (draw < 0.1) return { type: 'leave', conversationId }
  if (draw < 0.25) return { type: 'rename', conversationId, title }
  const members = { type: 'members' as const, conversationId, add: [], remove: [], roles: [] }
  const someone = random.pick(others)
  if (draw < 0.45) return { ...members, remove: [someone] }
  const role = random.pick<Role>(['ADMIN', 'ADMIN', 'OWNER', 'MEMBER'])
  if (draw < 0.65) return { ...members, roles: [{ userId: someone, role }] }
  if (draw < 0.75) return { ...members, add: [someone], remove: others.filter((each) => each !== someone) }
  return { ...members, add: random.chance(0.5) ? others : [someone] }
}
