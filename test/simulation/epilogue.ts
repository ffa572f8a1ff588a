import type { Alteration, Message } from '../../src/domain/ports.ts'
import type { ClientMessageId, ConversationId, UserId } from '../../src/protocol/ids.ts'
import { alter } from './changer.ts'
import type { Device } from './device.ts'
import type { ChangeRequest } from './history.ts'
import { noFaults } from './network.ts'
import type { Owner } from './scheduler.ts'
import type { World } from './world.ts'

const rounds = 3
/** Longer than a session lives that nobody renews. */
const forgottenAfterMs = 60_000

export type Epilogue = ReturnType<typeof createEpilogue>

/** What happens when all faults are over, by plain requests: alice writes to bob and carol, and changes what she wrote. */
export function createEpilogue(world: World) {
  const { scheduler, history, random, users, truth, network, redis } = world
  const [alice, ...others] = users
  const owner: Owner = { name: 'epilogue', alive: true }

  /**
   * Where the mark stands after that, the index has to be complete; unless events were lost, for which the beat makes up when
   * they come back.
   */
  async function whileLeaving(time: number, devices: readonly Device[], left: Promise<unknown>): Promise<void> {
    const lossy = world.withBeat && random.chance(0.4)
    if (lossy) network.setRates({ ...noFaults, eventLost: 0.5 })
    const lastAck = (userId: UserId) => (random.chance(0.5) ? acknowledge(userId, devices) : undefined)
    const reached = random.chance(0.6) ? others : []
    await Promise.all([left, writeWithin(`leaving-${time}`, 1500, reached), ...others.map(lastAck)])
    network.setRates(noFaults)
    if (lossy) return
    for (const { id, members } of world.chats) {
      for (const userId of members) if (redis.marks.get(userId) === redis.runId()) await lookUp(userId, id, () => true)
    }
  }

  const whileComing = async (time: number): Promise<void> => {
    if (random.chance(0.5)) await writeWithin(`coming-${time}`, 1000)
  }

  /** With all devices gone; bob and carol ack meanwhile what they have. The index must know of what they are sent. */
  async function whileAway(devices: readonly Device[]): Promise<void> {
    await scheduler.sleep(owner, forgottenAfterMs)
    // Streams that were never closed still stand on their nodes; with the nodes they go.
    for (const index of world.nodes.keys()) {
      world.killNode(index)
      world.startNode(index)
    }
    await scheduler.sleep(owner, forgottenAfterMs)
    const sinceMs = scheduler.now()
    for (let round = 1; round <= rounds; round += 1) {
      await Promise.all(others.flatMap((userId) => [write(userId, `${round}`), acknowledge(userId, devices)]))
    }
    for (const { id, members } of world.chats) {
      for (const userId of members) {
        await lookUp(userId, id, ({ senderId, sentAtMs }) => senderId !== userId && sentAtMs >= sinceMs)
      }
    }
  }

  /** Alice writes once to each, at some moment. */
  async function writeWithin(round: string, ms: number, to: readonly UserId[] = others): Promise<void> {
    await Promise.all(
      to.map(async (userId) => {
        await scheduler.sleep(owner, random.between(0, ms))
        await write(userId, round)
      }),
    )
  }

  /** Whether the index leads to the first of these messages that was not delivered. */
  async function lookUp(userId: UserId, conversationId: ConversationId, counts: (message: Message) => boolean) {
    const [ticks] = await truth.boundaries.getMany([{ userId, conversationId }])
    const rows = await truth.messages.above(conversationId, ticks?.lastDeliveredSeq ?? 0, 1000)
    const first = rows.find((row) => row.kind === 'message' && counts(row))?.seq
    const row = (await truth.pending.get(userId, conversationId))?.firstUndeliveredSeq
    if (first === undefined || (row !== undefined && row <= first)) return
    history.note('epilogue', { kind: 'unindexed', userId, conversationId, first, row })
  }

  /** A slow network may still cost an answer. */
  async function persistently<T>(attempt: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await attempt()
      } catch (error) {
        if (!(error instanceof Error && error.message === 'connection lost')) throw error
      }
    }
  }

  async function write(userId: UserId, round: string): Promise<void> {
    const clientMessageId = `late-${userId}-${round}` as ClientMessageId
    const body = `late ${round}`
    const sent = await persistently(() => {
      const node = random.pick(world.nodes)
      history.note('epilogue', { kind: 'try', senderId: alice, clientMessageId, body, node: node.owner.name })
      return world.ask(owner, node, (domain) => domain.sendTo(alice, userId, { clientMessageId, body }))
    })
    history.note('epilogue', { kind: 'sent', senderId: alice, clientMessageId, ...sent })
    if (random.chance(0.5)) await change(sent.message)
  }

  async function change({ conversationId, seq, clientMessageId }: Message): Promise<void> {
    const alteration: Alteration = random.chance(0.3)
      ? { type: 'delete' }
      : { type: 'edit', body: `later ${clientMessageId}` }
    const request: ChangeRequest = {
      senderId: alice,
      clientMessageId: `change-${clientMessageId}`,
      conversationId,
      targetSeq: seq,
      alteration,
    }
    while ((await alter(world, owner, request)) === 'failed') await scheduler.sleep(owner, 100)
  }

  async function acknowledge(userId: UserId, devices: readonly Device[]): Promise<void> {
    const held = devices.find((device) => device.userId === userId)?.held ?? new Map()
    for (const [conversationId, seq] of held) {
      history.note('epilogue', { kind: 'says', userId, conversationId, delivered: seq, read: 0 })
      const ticks = await persistently(() =>
        world.ask(owner, random.pick(world.nodes), async (domain) =>
          domain.ack(await domain.access.member(userId, conversationId), seq),
        ),
      )
      history.note('epilogue', { kind: 'ticks', ticks, source: 'answer' })
    }
  }

  return {
    whileLeaving,
    whileAway,
    whileComing,
    /** Nothing but the ring tells whoever is there to stay. */
    whileThere: () => writeWithin('there', 0),
  }
}
