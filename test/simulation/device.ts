import type { Member } from '../../src/domain/conversations/access.ts'
import type { ShownChange } from '../../src/domain/streams/follow-changes.ts'
import type { Shown } from '../../src/domain/streams/positions.ts'
import type { LiveStream } from '../../src/ports/live-stream.ts'
import type { Message } from '../../src/ports/log.ts'
import { notFound } from '../../src/protocol/errors.ts'
import type { ConversationId, DeviceId, Seq, UserId } from '../../src/protocol/ids.ts'
import { client, messageOf, noteFailure } from './clients.ts'
import { isNotice } from './notices.ts'
import type { SimulatedNode, World } from './world.ts'

/** A device that is `staying` no longer leaves by itself. One that is `leaving` leaves as soon as possible, and for good. */
type DeviceMode = 'coming and going' | 'staying' | 'leaving'

export type Device = {
  userId: UserId
  name: string
  /** The seq of the last message it holds together with all before it. */
  held: Map<ConversationId, Seq>
  /** The seq of the last message that it has acked. */
  said: Map<ConversationId, Seq>
  /** The seq of the last change it was shown together with all before it; undefined if the device does not follow changes. */
  changes: Map<ConversationId, Seq> | undefined
  /** If the server keeps its positions: how far its user had said to be when its first stream was there. It may have begun there. */
  began(): ReadonlyMap<ConversationId, Seq> | undefined
  setMode(mode: DeviceMode): void
  run(): Promise<void>
}

/** How long it waits for an event before it considers leaving. */
const idleMs = 5000

type Options = {
  /** Whether it sets a sink, which accepts most of what is pushed. */
  hasSink: boolean
  /** Whether the user has no other device. Then it may also come back without saying what it holds. */
  sole: boolean
  followsChanges: boolean
  /** Whether the server keeps its positions. Then it names none, and holds what it has acked and nothing else when it comes back. */
  isKept: boolean
}

type Watcher<Shows> = {
  /** Returns whether the device leaves now, after nothing has come for a while. */
  isRestless: () => boolean
  /** Returns false if the item does not follow what the device holds. Then the device leaves. */
  take: (shown: Shows) => boolean
  /** Acks or marks as read what was shown, perhaps. */
  acknowledge: (shown: Shows) => Promise<void>
}

/** A device that follows streams, holds what it is shown, acks and reads some of it, and comes and goes. */
export function createDevice(world: World, userId: UserId, name: string, options: Options): Device {
  const { random, scheduler, history } = world
  const { sole } = options
  const owner = client(name)
  const held = new Map<ConversationId, Seq>()
  const said = new Map<ConversationId, Seq>()
  const changes = options.followsChanges ? new Map<ConversationId, Seq>() : undefined
  const deviceId = options.isKept ? (name as DeviceId) : undefined
  /** What it was answered that it has acked, and what it has said of changes. */
  const acked = { messages: new Map<ConversationId, Seq>(), changes: new Map<ConversationId, Seq>() }
  const saidOfChanges = new Map<ConversationId, Seq>()
  let began: ReadonlyMap<ConversationId, Seq> | undefined
  let mode: DeviceMode = 'coming and going'
  /** Wake those of its streams that wait for an event. */
  const wakers = new Set<() => void>()

  function setMode(next: DeviceMode): void {
    mode = next
    for (const wake of wakers) wake()
  }

  async function run(): Promise<void> {
    await Promise.all([
      comeAndGo('follow', deviceId ? (node) => followKept(node, deviceId) : follow),
      changes &&
        comeAndGo('followChanges', (node) =>
          deviceId ? followKeptChanges(node, deviceId, changes) : followChanges(node, changes),
        ),
    ])
  }

  async function comeAndGo(what: string, visit: (node: SimulatedNode) => Promise<void>): Promise<void> {
    while (mode !== 'leaving') {
      await scheduler.sleep(owner, random.between(0, mode === 'staying' ? 500 : 4000))
      const node = random.pick(world.nodes)
      try {
        await visit(node)
      } catch (error) {
        history.note(name, { kind: 'failed', what, error: messageOf(error) })
      }
    }
  }

  async function follow(node: SimulatedNode): Promise<void> {
    const stream = world.nextStream()
    const resumes = !sole || random.chance(0.6)
    const { ids, isOne } = choose()
    const after = resumes ? new Map<ConversationId, Seq>() : undefined
    if (!resumes && random.chance(0.4)) loseUnsaid()
    const source = await world.ask(owner, node, async (domain) => {
      const members = await domain.access.find(userId, ids)
      return domain.follow({
        userId,
        ...(isOne && onlyOf(members)),
        after: after ? positionsIn(members, held, after) : [],
      })
    })
    history.note(name, { kind: 'stream', stream, userId, node: node.owner.name, after, sole })
    await watch(stream, node, source, {
      isRestless: () => missesOthers(isOne) || (!sole && leavesUnnamed(after) && random.chance(0.4)),
      take: (shown) => take(stream, shown),
      async acknowledge({ row }) {
        if (random.chance(0.4)) await say(node, row.conversationId, held.get(row.conversationId) ?? 0)
      },
    })
  }

  /** It always sends the same variables. */
  async function followKept(node: SimulatedNode, deviceId: DeviceId): Promise<void> {
    const stream = world.nextStream()
    const { ids, isOne } = choose()
    loseUnsaid()
    const before = new Map(acked.messages)
    const source = await world.ask(owner, node, async (domain) =>
      domain.follow({ userId, deviceId, after: [], ...(isOne && onlyOf(await domain.access.find(userId, ids))) }),
    )
    begin()
    const at = { stream, userId, node: node.owner.name }
    history.note(name, { kind: 'stream', ...at, after: undefined, sole: true, acked: before })
    await watch(stream, node, source, {
      isRestless: () => missesOthers(isOne),
      take: (shown) => take(stream, shown),
      async acknowledge({ row }) {
        if (random.chance(0.4)) await say(node, row.conversationId, held.get(row.conversationId) ?? 0)
      },
    })
  }

  async function followKeptChanges(
    node: SimulatedNode,
    deviceId: DeviceId,
    position: Map<ConversationId, Seq>,
  ): Promise<void> {
    const stream = world.nextStream()
    const { ids, isOne } = choose()
    for (const id of position.keys()) position.set(id, Math.min(position.get(id) ?? 0, saidOfChanges.get(id) ?? 0))
    const before = new Map(acked.changes)
    const source = await world.ask(owner, node, async (domain) =>
      domain.followChanges({
        userId,
        deviceId,
        after: [],
        ...(isOne && onlyOf(await domain.access.find(userId, ids))),
      }),
    )
    begin()
    const at = { stream, userId, node: node.owner.name }
    history.note(name, { kind: 'changes', ...at, after: new Map(), acked: before })
    await watch(stream, node, source, {
      isRestless: () => missesOthers(isOne),
      take: (shown) => takeChange(stream, shown, position),
      async acknowledge(shown) {
        if (random.chance(0.5)) await sayOfChange(node, shown)
      },
    })
  }

  /** Notes, once, how far the user has said to be: the server may have let this device begin there. */
  function begin(): void {
    if (began) return
    const said = new Map<ConversationId, Seq>()
    for (const entry of history.entries)
      if (entry.kind === 'says' && entry.userId === userId)
        said.set(entry.conversationId, Math.max(entry.delivered, said.get(entry.conversationId) ?? 0))
    began = said
    history.note(name, { kind: 'begins', began })
  }

  /** What the device needs not have: what came before the event, if that was before the device began. */
  const excused = (id: ConversationId, previousSeq: Seq): Seq =>
    previousSeq <= (began?.get(id) ?? 0) ? previousSeq : 0

  /** Its app died before it had stored what it was shown. It still holds what it has acked. */
  function loseUnsaid(): void {
    for (const id of held.keys()) held.set(id, Math.min(held.get(id) ?? 0, said.get(id) ?? 0))
    history.note(name, { kind: 'lost' })
  }

  async function followChanges(node: SimulatedNode, position: Map<ConversationId, Seq>): Promise<void> {
    const stream = world.nextStream()
    const after = new Map<ConversationId, Seq>()
    const { ids, isOne } = choose()
    const source = await world.ask(owner, node, async (domain) => {
      const members = await domain.access.find(userId, ids)
      return domain.followChanges({
        userId,
        ...(isOne && onlyOf(members)),
        after: positionsIn(members, position, after),
      })
    })
    history.note(name, { kind: 'changes', stream, userId, node: node.owner.name, after })
    await watch(stream, node, source, {
      isRestless: () => missesOthers(isOne) || (mode === 'staying' && leavesUnnamed(after) && random.chance(0.1)),
      take: (shown) => takeChange(stream, shown, position),
      async acknowledge(shown) {
        if (random.chance(0.3)) await sayOfChange(node, shown)
      },
    })
  }

  /** Chooses all conversations or, now and then, a single one. */
  function choose(): { ids: ConversationId[]; isOne: boolean } {
    const all = world.idsFor(userId)
    const isOne = mode === 'coming and going' && random.chance(0.15)
    return { ids: isOne ? [random.pick(all)] : all, isOne }
  }

  /** A device that has to get everything cannot stay with a single conversation. */
  const missesOthers = (isOne: boolean): boolean => isOne && mode === 'staying'

  /**
   * Whether there is a conversation that the stream did not name, such as one that did not exist when it was asked for. The stream begins there
   * where the user has acked, with this device or another, by the time the node looks. So such a stream has to be opened again.
   */
  function leavesUnnamed(after: ReadonlyMap<ConversationId, Seq> | undefined): boolean {
    const begun = [...world.groups, ...world.knownTo(userId).map(({ conversationId }) => conversationId)]
    return begun.some((id) => !after?.has(id))
  }

  function onlyOf([member]: readonly (Member | undefined)[]): { only: Member } {
    if (!member) throw notFound()
    return { only: member }
  }

  /** Returns what the device holds of the existing chats, and notes in `named` what it says. */
  function positionsIn(
    members: readonly (Member | undefined)[],
    has: ReadonlyMap<ConversationId, Seq>,
    named: Map<ConversationId, Seq>,
  ) {
    return members.flatMap((member) => {
      if (!member) return []
      const seq = has.get(member.conversation.id) ?? 0
      named.set(member.conversation.id, seq)
      return [{ member, seq }]
    })
  }

  /** Reads a stream until the device wants to leave or has to. */
  async function watch<Shows>(
    stream: number,
    node: SimulatedNode,
    source: LiveStream<Shows>,
    { isRestless, take, acknowledge }: Watcher<Shows>,
  ): Promise<void> {
    const leaveAtMs = mode === 'staying' ? Number.POSITIVE_INFINITY : scheduler.now() + random.between(500, 15_000)
    // A stream that was opened during the faults may stay open for good. Then only events and the periodic resync can bring it up to date.
    const mayLeave = () => mode === 'leaving' || (mode === 'coming and going' && scheduler.now() >= leaveAtMs)
    const waitMs = () => (mayLeave() || mode === 'staying' ? idleMs : Math.min(idleMs, leaveAtMs - scheduler.now()))
    let left: string | undefined
    const leave = async (how: string) => {
      left = how
      history.note(name, { kind: 'left', stream, how })
      // A node does not learn that a device vanished, and a dead node learns nothing.
      if (how === 'vanished' || how === 'node died') return
      const detached = source.return?.().catch(() => undefined)
      if (mode === 'leaving') await detached
    }
    /** What the sink has accepted and the device has not acked yet. */
    const handed: { shown: Shows; fits: boolean }[] = []
    const tryPush = (shown: Shows): boolean => {
      // The connection is dead, but the node does not know: the push seems to succeed.
      if (left === 'vanished') return true
      if (left && left !== 'node died')
        history.note(name, { kind: 'failed', what: 'stream', error: `offered: ${left}` })
      const draw = random.next()
      if (draw < 0.05) throw new Error('cannot take it')
      if (left || draw < 0.25 || handed.some(({ fits }) => !fits)) return false
      handed.push({ shown, fits: take(shown) })
      wake()
      return true
    }
    if (options.hasSink) source.setSink({ tryPush })
    let lost = !node.owner.alive
    let arrived: (() => IteratorResult<Shows>) | undefined
    let asked = false
    let wake: () => void = () => undefined
    const die = () => {
      lost = true
      wake()
    }
    node.deaths.add(die)
    /** Resolves when there is something to do, or when nothing has happened for a while. */
    const woken = () =>
      new Promise<void>((resolve) => {
        const cancel = scheduler.after(owner, waitMs(), () => wake())
        wake = () => {
          wake = () => undefined
          cancel()
          wakers.delete(wakeNow)
          resolve()
        }
        const wakeNow = () => wake()
        wakers.add(wakeNow)
      })
    const arrive = (result: () => IteratorResult<Shows>) => {
      arrived = result
      wake()
    }
    try {
      for (;;) {
        for (const { shown, fits } of handed.splice(0)) {
          if (!fits) return await leave('has a gap')
          await acknowledge(shown)
        }
        if (random.chance(0.05)) await scheduler.sleep(owner, random.between(100, 3000))
        if (!asked) {
          asked = true
          source.next().then(
            (result) => arrive(() => result),
            (error: unknown) =>
              arrive(() => {
                throw error
              }),
          )
        }
        if (!lost && !arrived && handed.length === 0) await woken()
        await scheduler.turn(owner)
        if (lost) return await leave('node died')
        if (handed.length > 0) continue
        if (!arrived) {
          if (mayLeave()) {
            return await leave(mode === 'coming and going' && random.chance(0.2) ? 'vanished' : 'closed')
          }
          if (isRestless()) return await leave('has something to ask for')
          continue
        }
        const next = arrived()
        arrived = undefined
        asked = false
        if (next.done) return await leave('ended by the node')
        if (!take(next.value)) return await leave('has a gap')
        await acknowledge(next.value)
      }
    } finally {
      node.deaths.delete(die)
    }
  }

  /** Returns false if the stream began above what the device holds. Then the device has to name its position. */
  function take(stream: number, { row: message, previousSeq }: Shown<Message>): boolean {
    const { conversationId: id } = message
    const before = Math.max(held.get(id) ?? 0, excused(id, previousSeq))
    history.note(name, { kind: 'shown', stream, userId, message, previousSeq, held: before })
    // Nothing can be done to a notice.
    if (!isNotice(message)) world.learn(userId, message)
    if (previousSeq > before) return false
    held.set(message.conversationId, Math.max(before, message.seq))
    return true
  }

  function takeChange(stream: number, shown: ShownChange, position: Map<ConversationId, Seq>): boolean {
    const { conversationId } = shown.message
    const before = Math.max(position.get(conversationId) ?? 0, excused(conversationId, shown.previousSeq))
    history.note(name, { kind: 'changed', stream, userId, held: before, ...shown })
    world.learn(userId, shown.message)
    if (shown.previousSeq > before) return false
    position.set(conversationId, Math.max(before, shown.seq))
    return true
  }

  async function say(
    node: SimulatedNode,
    conversationId: ConversationId,
    seq: Seq,
    of: keyof typeof acked = 'messages',
  ): Promise<void> {
    if (seq === 0) return
    const reads = random.chance(0.4)
    const what = reads ? 'markRead' : 'ack'
    const since = history.entries.length
    // With a deviceId, the ack of a change says nothing of messages.
    const now = deviceId && of === 'changes' ? saidOfChanges : said
    now.set(conversationId, Math.max(seq, now.get(conversationId) ?? 0))
    history.note(name, { kind: 'says', userId, conversationId, delivered: seq, read: reads ? seq : 0 })
    try {
      const ticks = await world.ask(owner, random.chance(0.7) ? node : random.pick(world.nodes), async (domain) => {
        const member = await domain.access.member(userId, conversationId)
        return reads ? domain.markRead(member, seq, deviceId) : domain.ack(member, seq, deviceId)
      })
      acked[of].set(conversationId, Math.max(seq, acked[of].get(conversationId) ?? 0))
      history.note(name, { kind: 'ticks', ticks, source: 'answer' })
    } catch (error) {
      noteFailure(world, name, error, { userId, conversationId, what, since })
    }
  }

  /**
   * Acks as far as a change. The stream that showed it has gone past every cell below; so a device that has the last message
   * there is now has all that will ever be below it.
   */
  async function sayOfChange(node: SimulatedNode, { message, seq }: ShownChange): Promise<void> {
    const { conversationId } = message
    try {
      const [tail] = await world.ask(owner, node, async (domain) =>
        domain.chats.tails([await domain.access.member(userId, conversationId)]),
      )
      const last = tail?.lastMessage?.seq ?? 0
      if (last > 0 && last <= (held.get(conversationId) ?? 0)) await say(node, conversationId, seq, 'changes')
    } catch (error) {
      history.note(name, { kind: 'failed', what: 'conversation', error: messageOf(error) })
    }
  }

  return { userId, name, held, said, changes, began: () => began, run, setMode }
}
