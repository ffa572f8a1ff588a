import type { Shown } from '../../src/domain/positions.ts'
import { ChatError } from '../../src/protocol/errors.ts'
import type { ClientMessageId, ConversationId, Seq, UserId } from '../../src/protocol/ids.ts'
import type { Owner } from './scheduler.ts'
import type { SimulatedNode, World } from './world.ts'

const client = (name: string): Owner => ({ name, alive: true })
const messageOf = (error: unknown): string =>
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

/** `staying`: no more leaving by itself. `leaving`: as soon as possible, and for good. */
export type DeviceMode = 'coming and going' | 'staying' | 'leaving'

export type Device = {
  userId: UserId
  name: string
  held: Map<ConversationId, Seq>
  mode: DeviceMode
  run(): Promise<void>
}

/**
 * A device: follows, holds what it is shown, acks and reads some of it, and comes and goes. `sole`: the user has no other
 * device, so that it may also come back without saying what it holds.
 */
export function createDevice(world: World, userId: UserId, name: string, sole: boolean): Device {
  const { random, scheduler, history } = world
  const owner = client(name)
  const chats = world.chats.filter(({ members }) => members.includes(userId))
  const held = new Map<ConversationId, Seq>()
  const device: Device = { userId, name, held, run, mode: 'coming and going' }

  async function run(): Promise<void> {
    while (device.mode !== 'leaving') {
      await scheduler.sleep(owner, random.between(0, device.mode === 'staying' ? 500 : 4000))
      const node = random.pick(world.nodes)
      try {
        await follow(node)
      } catch (error) {
        history.note(name, { kind: 'failed', what: 'follow', error: messageOf(error) })
      }
    }
  }

  async function follow(node: SimulatedNode): Promise<void> {
    const stream = world.nextStream()
    const resumes = !sole || random.chance(0.6)
    const after = resumes ? new Map<ConversationId, Seq>() : undefined
    const source = await world.ask(owner, node, async (domain) => {
      const members = await domain.access.find(
        userId,
        chats.map(({ id }) => id),
      )
      const positions = members.flatMap((member) => {
        if (!member || !after) return []
        const seq = held.get(member.conversation.id) ?? 0
        after.set(member.conversation.id, seq)
        return [{ member, seq }]
      })
      return domain.follow({ userId, after: positions })
    })
    history.note(name, { kind: 'stream', stream, userId, node: node.owner.name, after, sole })
    const leaveAtMs =
      device.mode === 'staying' ? Number.POSITIVE_INFINITY : scheduler.now() + random.between(500, 15_000)
    const mayLeave = () => device.mode === 'leaving' || scheduler.now() >= leaveAtMs
    const leave = async (how: string) => {
      history.note(name, { kind: 'left', stream, how })
      // With the network gone, the node does not learn of it; and a dead one learns nothing.
      if (how === 'vanished' || how === 'node died') return
      const detached = source.return?.().catch(() => undefined)
      if (device.mode === 'leaving') await detached
    }
    let pending: Promise<IteratorResult<Shown> | 'lost'> | undefined
    const lost = new Promise<'lost'>((resolve) => node.deaths.add(() => resolve('lost')))
    for (;;) {
      if (random.chance(0.05)) await scheduler.sleep(owner, random.between(100, 3000))
      pending ??= source.next()
      const idle = new AbortController()
      const next = await Promise.race([
        pending,
        lost,
        scheduler
          .sleep(owner, Math.min(1000, Math.max(1, leaveAtMs - scheduler.now())), idle.signal)
          .then(() => 'idle' as const),
      ])
      idle.abort('over')
      await scheduler.turn(owner)
      if (next === 'lost') return leave('node died')
      if (next === 'idle') {
        if (mayLeave()) return leave(device.mode === 'coming and going' && random.chance(0.2) ? 'vanished' : 'closed')
        continue
      }
      pending = undefined
      if (next.done) return leave('ended by the node')
      take(stream, next.value)
      if (random.chance(0.4)) await say(node, next.value.message.conversationId)
    }
  }

  function take(stream: number, { message, previousSeq }: Shown): void {
    const before = held.get(message.conversationId) ?? 0
    history.note(name, { kind: 'shown', stream, userId, message, previousSeq, held: before })
    if (previousSeq <= before) held.set(message.conversationId, Math.max(before, message.seq))
  }

  async function say(node: SimulatedNode, conversationId: ConversationId): Promise<void> {
    const seq = held.get(conversationId) ?? 0
    if (seq === 0) return
    const reads = random.chance(0.4)
    history.note(name, { kind: 'says', userId, conversationId, delivered: seq, read: reads ? seq : 0 })
    try {
      const ticks = await world.ask(owner, random.chance(0.7) ? node : random.pick(world.nodes), async (domain) => {
        const member = await domain.access.member(userId, conversationId)
        return reads ? domain.markRead(member, seq) : domain.ack(member, seq)
      })
      history.note(name, { kind: 'ticks', ticks, source: 'answer' })
    } catch (error) {
      history.note(name, { kind: 'failed', what: reads ? 'markRead' : 'ack', error: messageOf(error) })
    }
  }

  return device
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
      history.note(name, { kind: 'page', userId, conversationId: id, seqs: messages.map(({ seq }) => seq) })
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
