import { ChatError } from '../../src/protocol/errors.ts'
import type { ClientMessageId, UserId } from '../../src/protocol/ids.ts'
import type { Owner } from './scheduler.ts'
import type { World } from './world.ts'

export const client = (name: string): Owner => ({ name, alive: true })

export const messageOf = (error: unknown): string =>
  error instanceof ChatError ? error.code : error instanceof Error ? error.message : String(error)

/** Sends a few messages, each until it is acknowledged, and some of them again afterwards. */
export async function runSender(world: World, userId: UserId, name: string, count: number): Promise<void> {
  const { random, scheduler, history } = world
  const owner = client(name)
  const chats = world.chats.filter(({ members }) => members.includes(userId))

  async function attempt(otherId: UserId, clientMessageId: ClientMessageId, body: string): Promise<boolean> {
    const node = random.pick(world.nodes)
    history.note(name, { kind: 'try', senderId: userId, clientMessageId, body, node: node.owner.name })
    try {
      const sent = await world.ask(owner, node, (domain) => domain.sendTo(userId, otherId, { clientMessageId, body }))
      history.note(name, { kind: 'sent', senderId: userId, clientMessageId, ...sent })
      world.learn(userId, sent.message)
      return true
    } catch (error) {
      history.note(name, { kind: 'failed', what: `${clientMessageId}`, error: messageOf(error) })
      return false
    }
  }

  for (let i = 1; i <= count; i += 1) {
    await scheduler.sleep(owner, random.between(0, 2000))
    const { members } = random.pick(chats)
    const otherId = members.find((each) => each !== userId) ?? userId
    const clientMessageId = `${name}-${i}` as ClientMessageId
    const body = `${name} ${i}`
    const twice = random.chance(0.2) ? attempt(otherId, clientMessageId, body) : undefined
    while (!(await attempt(otherId, clientMessageId, body))) await scheduler.sleep(owner, random.between(10, 3000))
    await twice
    if (random.chance(0.2)) await attempt(otherId, clientMessageId, body)
  }
}

/** Pages through histories at odd moments. */
export async function runPager(world: World, userId: UserId, name: string): Promise<void> {
  const { random, scheduler, history } = world
  const owner = client(name)
  const chats = world.chats.filter(({ members }) => members.includes(userId))
  for (;;) {
    await scheduler.sleep(owner, random.between(200, 5000))
    const { id } = random.pick(chats)
    const from = random.pick(['newest', 'oldest'] as const)
    const since = history.entries.length
    try {
      const messages = await world.ask(owner, random.pick(world.nodes), async (domain) => {
        const member = await domain.access.member(userId, id)
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
      history.note(name, { kind: 'page', userId, conversationId: id, messages, since })
    } catch (error) {
      history.note(name, { kind: 'failed', what: 'page', error: messageOf(error) })
    }
  }
}

/** Watches the ticks of a chat. */
export async function runTickWatcher(world: World, userId: UserId, name: string): Promise<void> {
  const { random, scheduler, history } = world
  const owner = client(name)
  const chat = random.pick(world.chats.filter(({ members }) => members.includes(userId)))
  for (;;) {
    await scheduler.sleep(owner, random.between(100, 3000))
    const node = random.pick(world.nodes)
    try {
      const source = await world.ask(owner, node, async (domain) =>
        domain.followTicks(userId, await domain.access.member(userId, chat.id)),
      )
      const lost = new Promise<'lost'>((resolve) => node.deaths.add(() => resolve('lost')))
      for (let left = random.between(1, 8); left > 0; left -= 1) {
        const next = await Promise.race([source.next(), lost])
        if (next === 'lost' || next.done) break
        history.note(name, { kind: 'ticks', ticks: next.value, source: `watch of ${node.owner.name}` })
      }
      source.return?.().catch(() => undefined)
    } catch (error) {
      history.note(name, { kind: 'failed', what: 'ticksChanged', error: messageOf(error) })
    }
  }
}
