import type { Alteration, Message } from '../../src/ports/log.ts'
import { type ClientMessageId, isGroupId, type UserId } from '../../src/protocol/ids.ts'
import { client, messageOf } from './clients.ts'
import type { ChangeRequest } from './history.ts'
import type { Owner } from './scheduler.ts'
import type { World } from './world.ts'

const passing = ['UNAVAILABLE', 'connection lost', 'connection refused']

/** Makes one attempt. `failed`: the outcome is unknown, so it has to be repeated. `refused`: it is refused for good. */
export async function alter(
  world: World,
  owner: Owner,
  request: ChangeRequest,
): Promise<'done' | 'failed' | 'refused'> {
  const { history } = world
  const { senderId, conversationId, targetSeq, alteration } = request
  const clientMessageId = request.clientMessageId as ClientMessageId
  const node = world.random.pick(world.nodes)
  const attempt = world.nextAttempt()
  history.note(owner.name, { kind: 'alters', attempt, node: node.owner.name, ...request })
  try {
    const message = await world.ask(owner, node, async (domain) => {
      const member = await domain.access.member(senderId, conversationId)
      return domain.change(member, { seq: targetSeq, clientMessageId, alteration })
    })
    history.note(owner.name, { kind: 'altered', attempt, message, ...request })
    return 'done'
  } catch (error) {
    const what = messageOf(error)
    if (passing.includes(what)) {
      history.note(owner.name, { kind: 'failed', what: request.clientMessageId, error: what })
      return 'failed'
    }
    history.note(owner.name, { kind: 'refused', attempt, error: what, ...request })
    return 'refused'
  }
}

/**
 * Edits and deletes what its user wrote, deletes what others wrote in a group, and reacts to messages the user knows. It repeats each change until
 * it is acknowledged or refused, sometimes makes two changes of the same message at once, and repeats some of them much later.
 */
export async function runChanger(world: World, userId: UserId, name: string, count: number): Promise<void> {
  const { random, scheduler } = world
  const owner = client(name)
  const done: ChangeRequest[] = []
  let made = 0
  let last: Message | undefined

  for (let i = 1; i <= count; i += 1) {
    await scheduler.sleep(owner, random.between(0, 4000))
    if (done.length > 0 && random.chance(0.3)) await alter(world, owner, random.pick(done))
    const known = world.knownTo(userId)
    if (known.length === 0) continue
    last = last && random.chance(0.5) ? last : random.pick(known)
    const request = requestFor(last)
    await Promise.all([
      retryUntilAnswered(request),
      random.chance(0.2) ? alter(world, owner, request) : undefined,
      random.chance(0.3) ? retryUntilAnswered(requestFor(last)) : undefined,
    ])
  }
  if (done.length > 0 && random.chance(0.5)) await alter(world, owner, random.pick(done))

  async function retryUntilAnswered(request: ChangeRequest): Promise<void> {
    for (;;) {
      const outcome = await alter(world, owner, request)
      if (outcome === 'done') done.push(request)
      if (outcome !== 'failed') return
      await scheduler.sleep(owner, random.between(10, 3000))
    }
  }

  function requestFor({ conversationId, seq, senderId }: Message): ChangeRequest {
    made += 1
    const alteration = alterationBy(senderId === userId, isGroupId(conversationId), `${name} ${made}`)
    return { senderId: userId, clientMessageId: `${name}-${made}`, conversationId, targetSeq: seq, alteration }
  }

  function alterationBy(author: boolean, inGroup: boolean, body: string): Alteration {
    // Owners and admins of the group may do this; others are refused.
    if (!author && inGroup && random.chance(0.3)) return { type: 'delete' }
    if (!author || random.chance(0.4)) {
      return { type: 'reaction', emoji: random.pick(['👍', '👎']), on: random.chance(0.6) }
    }
    return random.chance(0.25) ? { type: 'delete' } : { type: 'edit', body }
  }
}
