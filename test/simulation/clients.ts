import { ChatError } from '../../src/protocol/errors.ts'
import { type ClientMessageId, type ConversationId, isGroupId, type UserId } from '../../src/protocol/ids.ts'
import type { Owner } from './scheduler.ts'
import type { World } from './world.ts'

export const client = (name: string): Owner => ({ name, alive: true })

export const messageOf = (error: unknown): string =>
  error instanceof ChatError ? error.code : error instanceof Error ? error.message : String(error)

type Call = { userId: UserId; conversationId: ConversationId; what: string; since: number }

/** Notes the failure. Returns whether the reason was that the user is not in the conversation. */
export function noteFailure({ history }: World, name: string, error: unknown, call: Call): boolean {
  const code = messageOf(error)
  const turnedAway = code === 'NOT_FOUND' && isGroupId(call.conversationId)
  history.note(name, turnedAway ? { kind: 'turned away', ...call } : { kind: 'failed', what: call.what, error: code })
  return turnedAway
}

type Sending = { userId: UserId; conversationId: ConversationId; clientMessageId: string; body: string }

/** Makes one attempt. `failed`: the outcome is unknown, so it has to be repeated. `turned away`: the sender is not in that group. */
export async function send(world: World, owner: Owner, sending: Sending): Promise<'done' | 'failed' | 'turned away'> {
  const { random, history } = world
  const { userId, conversationId, body } = sending
  const clientMessageId = sending.clientMessageId as ClientMessageId
  const node = random.pick(world.nodes)
  const since = history.entries.length
  history.note(owner.name, { kind: 'try', senderId: userId, clientMessageId, body, node: node.owner.name })
  try {
    const sent = await world.ask(owner, node, async (domain) => {
      const chat = world.chats.find(({ id }) => id === conversationId)
      if (!chat) return domain.send(await domain.access.member(userId, conversationId), { clientMessageId, body })
      const otherId = chat.members.find((each) => each !== userId) ?? userId
      return domain.sendTo(userId, otherId, { clientMessageId, body })
    })
    history.note(owner.name, { kind: 'sent', senderId: userId, clientMessageId, since, ...sent })
    world.learn(userId, sent.message)
    return 'done'
  } catch (error) {
    const call = { userId, conversationId, what: clientMessageId, since }
    return noteFailure(world, owner.name, error, call) ? 'turned away' : 'failed'
  }
}

/** Sends a few messages, each until it is acknowledged or the sender gives up on the group, and some of them again afterwards. */
export async function runSender(world: World, userId: UserId, name: string, usualCount: number): Promise<void> {
  const { random, scheduler } = world
  const owner = client(name)
  // In a brisk world, people write at the same time, and mostly to the same chat.
  const [count, pauseMsMax] = world.isBrisk ? [3 * usualCount, 150] : [usualCount, 2000]

  async function untilDone(sending: Sending): Promise<void> {
    for (;;) {
      const outcome = await send(world, owner, sending)
      if (outcome === 'done' || (outcome === 'turned away' && random.chance(0.5))) return
      await scheduler.sleep(owner, random.between(10, 3000))
    }
  }

  for (let i = 1; i <= count; i += 1) {
    await scheduler.sleep(owner, random.between(0, pauseMsMax))
    const ids = world.idsFor(userId)
    const conversationId = (world.isBrisk && random.chance(0.7) ? ids[0] : undefined) ?? random.pick(ids)
    const sending = { userId, conversationId, clientMessageId: `${name}-${i}`, body: `${name} ${i}` }
    const twice = random.chance(0.2) ? send(world, owner, sending) : undefined
    await untilDone(sending)
    await twice
    if (random.chance(0.2)) await send(world, owner, sending)
  }
}

/** Pages through histories at odd moments, now as one of the users, now as another. */
export async function runPager(world: World, name: string): Promise<void> {
  const { random, scheduler, history } = world
  const owner = client(name)
  let looked = 0
  for (;;) {
    await scheduler.sleep(owner, random.between(200, 4000))
    // If nothing was noted since the last look, there is nothing new to see.
    if (history.entries.length === looked) continue
    const userId = random.pick(world.users)
    const conversationId = random.pick(world.idsFor(userId))
    const from = random.pick(['newest', 'oldest'] as const)
    const since = history.entries.length
    try {
      const messages = await world.ask(owner, random.pick(world.nodes), async (domain) => {
        const member = await domain.access.member(userId, conversationId)
        const first = await domain.history.page(member, { count: random.between(1, 4), from })
        const edge = from === 'newest' ? first.messages.at(-1)?.seq : first.messages[0]?.seq
        if (edge === undefined) return first.messages
        const second = await domain.history.page(member, {
          count: random.between(1, 4),
          from,
          ...(from === 'newest' ? { olderThan: edge } : { newerThan: edge }),
        })
        return from === 'newest' ? [...first.messages, ...second.messages] : [...second.messages, ...first.messages]
      })
      history.note(name, { kind: 'page', userId, conversationId, messages, since })
    } catch (error) {
      noteFailure(world, name, error, { userId, conversationId, what: 'page', since })
    }
    looked = history.entries.length
  }
}
