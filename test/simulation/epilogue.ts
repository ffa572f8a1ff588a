import type { ClientMessageId, UserId } from '../../src/protocol/ids.ts'
import type { Device } from './clients.ts'
import type { Owner } from './scheduler.ts'
import type { World } from './world.ts'

const rounds = 3
/** Longer than a session lives that nobody renews. */
const forgottenAfterMs = 60_000

/** With all devices gone and all faults over: alice writes to bob and carol while they ack what they have, by plain requests. */
export async function runEpilogue(world: World, devices: readonly Device[]): Promise<void> {
  const { scheduler, history, random, users, truth } = world
  const [alice, ...others] = users
  const owner: Owner = { name: 'epilogue', alive: true }
  await scheduler.sleep(owner, forgottenAfterMs)
  // Streams that were never closed still stand on their nodes; with the nodes they go.
  for (const index of world.nodes.keys()) {
    world.killNode(index)
    world.startNode(index)
  }
  await scheduler.sleep(owner, forgottenAfterMs)

  for (let round = 1; round <= rounds; round += 1) {
    await Promise.all(others.flatMap((userId) => [write(userId, round), acknowledge(userId)]))
  }

  for (const { id, members } of world.chats) {
    for (const userId of members.filter((each) => each !== alice)) {
      const [ticks] = await truth.boundaries.getMany([{ userId, conversationId: id }])
      const rows = await truth.messages.above(id, ticks?.lastDeliveredSeq ?? 0, 1000)
      const first = rows.find((row) => row.kind === 'message' && row.senderId === alice)
      const pending = await truth.pending.get(userId, id)
      if (first && !(pending && pending.firstUndeliveredSeq <= first.seq)) {
        history.note('epilogue', {
          kind: 'unindexed',
          userId,
          conversationId: id,
          first: first.seq,
          row: pending?.firstUndeliveredSeq,
        })
      }
    }
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

  async function write(userId: UserId, round: number): Promise<void> {
    const clientMessageId = `late-${userId}-${round}` as ClientMessageId
    const body = `late ${round}`
    const sent = await persistently(() => {
      const node = random.pick(world.nodes)
      history.note('epilogue', { kind: 'try', senderId: alice, clientMessageId, body, node: node.owner.name })
      return world.ask(owner, node, (domain) => domain.sendTo(alice, userId, { clientMessageId, body }))
    })
    history.note('epilogue', { kind: 'sent', senderId: alice, clientMessageId, ...sent })
  }

  async function acknowledge(userId: UserId): Promise<void> {
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
}
