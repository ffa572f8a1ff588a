import { directConversationId } from '../../src/domain/conversations/conversation-id.ts'
import type { Group } from '../../src/ports/conversations.ts'
import type { Alteration, Message } from '../../src/ports/log.ts'
import { type ClientMessageId, type ConversationId, isGroupId, type Seq, type UserId } from '../../src/protocol/ids.ts'
import { alter } from './changer.ts'
import { send } from './clients.ts'
import type { Device } from './device.ts'
import { retryUntilAnswered } from './group-actor.ts'
import type { ChangeRequest, GroupRequest } from './history.ts'
import type { IdleWatchers } from './idle-watchers.ts'
import type { Owner } from './scheduler.ts'
import type { World } from './world.ts'

const rounds = 3
/** This is longer than a session lives without renewal. */
const forgottenAfterMs = 60_000
/** This is longer than a removed member may go on to see a group. */
const removedWithinMs = 50_000
/** This is longer than the time between two periodic resyncs of a stream. */
const periodMs = 35_000
/** After this long, no idle stream looks by itself any more. */
const idleMs = 130_000

/**
 * This happens when all faults are over, by plain requests: Alice writes to Bob and Carol and changes what she wrote; a member writes to each
 * group, and some owners and admins add and remove members.
 */
export function createEpilogue(world: World) {
  const { scheduler, history, random, users, truth, network, redis } = world
  const [alice, ...others] = users
  const owner: Owner = { name: 'epilogue', alive: true }

  /**
   * If the flag is set after that, the index has to be complete, unless events were lost: then the periodic resync finds what is missing when the
   * users come back.
   */
  async function whileLeaving(time: number, devices: readonly Device[], left: Promise<unknown>): Promise<void> {
    const lossy = world.withPeriodicResync && random.chance(0.4)
    if (lossy) network.setRates({ eventLost: 0.5 })
    const lastAck = (userId: UserId) => (random.chance(0.5) ? acknowledge(userId, devices) : undefined)
    const reached = random.chance(0.6) ? others : []
    await Promise.all([
      left,
      writeWithin(`leaving-${time}`, 1500, reached),
      groupsWithin(`leaving-${time}`, 1500),
      ...others.map(lastAck),
    ])
    network.setRates({})
    if (lossy) return
    for (const { id, members } of world.chats) {
      for (const userId of members)
        if (redis.pendingIndexComplete.get(userId) === redis.runId()) await lookUp(userId, id, () => true)
    }
  }

  const whileComing = async (time: number): Promise<void> => {
    await Promise.all([
      random.chance(0.5) && writeWithin(`coming-${time}`, 1000),
      random.chance(0.5) && groupsWithin(`coming-${time}`, 1000),
    ])
  }

  /** All devices are gone; Bob and Carol ack what they have. The index must know of what is sent to them. */
  async function whileAway(devices: readonly Device[]): Promise<void> {
    await scheduler.sleep(owner, forgottenAfterMs)
    // Streams that were never closed are still open on their nodes, and end with the nodes.
    for (const index of world.nodes.keys()) {
      world.killNode(index)
      world.startNode(index)
    }
    await scheduler.sleep(owner, forgottenAfterMs)
    const sinceMs = scheduler.now()
    for (let round = 1; round <= rounds; round += 1) {
      await Promise.all([
        ...others.flatMap((userId) => [write(userId, `${round}`), acknowledge(userId, devices)]),
        round === 1 && groupsWithin('away', 0),
      ])
    }
    for (const { id, members } of world.chats) {
      for (const userId of members) {
        await lookUp(userId, id, (message) => message.senderId !== userId && world.writtenAtMs(message) >= sinceMs)
      }
    }
  }

  /** Alice writes once to each of them, at a random moment. */
  async function writeWithin(round: string, ms: number, to: readonly UserId[] = others): Promise<void> {
    await Promise.all(
      to.map(async (userId) => {
        await scheduler.sleep(owner, random.between(0, ms))
        await write(userId, round)
      }),
    )
  }

  /** In each group a member writes, at a random moment. Its members may change just before or just after. */
  async function groupsWithin(round: string, ms: number): Promise<void> {
    await Promise.all(
      [...world.groups].map(async (id) => {
        await scheduler.sleep(owner, random.between(0, ms))
        if (random.chance(0.4)) await regroup(id)
        await writeToGroup(id, round)
        if (random.chance(0.6)) return
        await regroup(id)
        if (random.chance(0.7)) await writeToGroup(id, `${round}-again`)
      }),
    )
  }

  async function groupNow(id: ConversationId): Promise<Group | undefined> {
    const [group] = await truth.conversations.getMany([id])
    return group?.kind === 'GROUP' ? group : undefined
  }

  async function writeToGroup(conversationId: ConversationId, round: string): Promise<void> {
    const { members = [] } = (await groupNow(conversationId)) ?? {}
    if (members.length === 0) return
    const userId = random.pick(members)
    const groupNumber = [...world.groups].indexOf(conversationId) + 1
    const sending = { userId, conversationId, clientMessageId: `late-g${groupNumber}-${round}`, body: `late ${round}` }
    while ((await send(world, owner, sending)) === 'failed') await scheduler.sleep(owner, 100)
  }

  /** An owner or admin adds or removes a member, and perhaps adds the removed one again at once. */
  async function regroup(conversationId: ConversationId): Promise<void> {
    const group = await groupNow(conversationId)
    const governor = group?.members.find((userId) => group.membersById.get(userId)?.role === 'OWNER')
    if (!group || !governor) return
    const someone = random.pick(users.filter((userId) => userId !== governor))
    const request: GroupRequest = { type: 'members', conversationId, add: [], remove: [], roles: [] }
    const isIn = group.membersById.has(someone)
    if (isIn) await retryUntilAnswered(world, owner, governor, { ...request, remove: [someone] })
    if (!isIn || random.chance(0.5)) await retryUntilAnswered(world, owner, governor, { ...request, add: [someone] })
  }

  /** Checks whether the index leads to the first of these messages that was not delivered. */
  async function lookUp(userId: UserId, conversationId: ConversationId, counts: (message: Message) => boolean) {
    const [ticks] = await truth.boundaries.getMany([{ userId, conversationId }])
    const rows = await truth.messages.above(conversationId, ticks?.lastDeliveredSeq ?? 0, 1000)
    const first = rows.find((row) => row.kind === 'message' && counts(row))?.seq
    const row = (await truth.pending.get(userId, conversationId))?.firstUndeliveredSeq
    if (first === undefined || (row !== undefined && row <= first)) return
    history.note('epilogue', { kind: 'unindexed', userId, conversationId, first, row })
  }

  /** Repeats a call, as a slow network may still lose an answer. */
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
    const clientMessageId = `late-${userId}-${round}`
    const conversationId = directConversationId(alice, userId)
    const sending = { userId: alice, conversationId, clientMessageId, body: `late ${round}` }
    while ((await send(world, owner, sending)) !== 'done') await scheduler.sleep(owner, 100)
    const message = world.knownTo(alice).find((each) => each.clientMessageId === clientMessageId)
    if (message && random.chance(0.5)) await change(message)
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
    const device = devices.find((each) => each.userId === userId)
    for (const [conversationId, seq] of device?.held ?? []) {
      // A user may be removed from a group at any moment.
      if (isGroupId(conversationId) || seq === 0) continue
      device?.said.set(conversationId, Math.max(seq, device.said.get(conversationId) ?? 0))
      await acknowledgeOne(userId, conversationId, seq)
    }
  }

  async function acknowledgeOne(userId: UserId, conversationId: ConversationId, seq: Seq): Promise<void> {
    history.note('epilogue', { kind: 'says', userId, conversationId, delivered: seq, read: 0 })
    const ticks = await persistently(() =>
      world.ask(owner, random.pick(world.nodes), async (domain) =>
        domain.ack(await domain.access.member(userId, conversationId), seq),
      ),
    )
    history.note('epilogue', { kind: 'ticks', ticks, source: 'answer' })
  }

  /** Long after the last change of a group, when removed members must know of it, a member writes and others ack. */
  async function muchLater(devices: readonly Device[]): Promise<void> {
    await scheduler.sleep(owner, removedWithinMs)
    await Promise.all([...world.groups].map((id) => writeToGroup(id, 'much later')))
    await scheduler.sleep(owner, 3000)
    for (const conversationId of world.groups) {
      const { members = [] } = (await groupNow(conversationId)) ?? {}
      for (const { userId, held } of devices) {
        const seq = held.get(conversationId)
        if (seq && members.includes(userId)) await acknowledgeOne(userId, conversationId, seq)
      }
    }
    await scheduler.sleep(owner, periodMs)
    history.note('epilogue', { kind: 'fault', what: 'that was long ago' })
  }

  /** When all streams have ended, all users ack everything by plain requests. Then none of the pending rows written now is left. */
  async function afterwards(devices: readonly Device[], left: Promise<unknown>): Promise<void> {
    const rows = async () =>
      (
        await Promise.all(
          users.map((userId) => truth.pending.list(userId).then((all) => all.map((row) => ({ userId, ...row })))),
        )
      ).flat()
    const keyOf = ({ userId, conversationId, firstUndeliveredSeq }: Awaited<ReturnType<typeof rows>>[number]) =>
      `${userId} ${conversationId} ${firstUndeliveredSeq}`
    const before = new Set((await rows()).map(keyOf))
    await left
    for (const { id, members } of world.chats) {
      for (const userId of new Set(members)) {
        const own = devices.filter((each) => each.userId === userId)
        const seq = Math.max(0, ...own.map(({ held }) => held.get(id) ?? 0))
        if (seq > 0) await acknowledgeOne(userId, id, seq)
      }
    }
    for (const row of (await rows()).filter((each) => !before.has(keyOf(each)))) {
      const { userId, conversationId, firstUndeliveredSeq: first } = row
      history.note('epilogue', { kind: 'leftover', userId, conversationId, first })
    }
  }

  /**
   * After a long silence all events are lost, so that what happens now is found by the periodic resync of idle streams alone. Returns the ids of
   * the messages that were stored and never published, as their node died in between.
   */
  async function afterSilence(idle: IdleWatchers): Promise<ClientMessageId[]> {
    await idle.begin()
    await scheduler.sleep(owner, idleMs)
    history.note('epilogue', { kind: 'fault', what: 'everybody was idle; all events are lost from now on' })
    network.setRates({ eventLost: 1 })
    const promote = redis.replica()
    const what = random.pick(['nothing', 'flush', 'failover', 'death'] as const)
    if (what === 'flush') redis.flush()
    if (what === 'death') {
      await idle.dieAfterReading()
      return [await dieAfterWriting()]
    }
    const regroupTwiceAndWrite = async (id: ConversationId) => {
      await regroup(id)
      await regroup(id)
      await writeToGroup(id, 'idle')
    }
    if (random.chance(0.5)) await idle.stirOnce()
    else
      await Promise.all([
        ...[...world.groups].map(regroupTwiceAndWrite),
        random.chance(0.3) && writeWithin('idle', 0),
        idle.stir(),
      ])
    if (what === 'failover') promote()
    return []
  }

  /** Alice writes to Bob by a node that dies when the message is stored, and does not repeat it. */
  async function dieAfterWriting(): Promise<ClientMessageId> {
    const index = random.below(world.nodes.length)
    const node = world.nodes[index]
    const [bob] = others
    const clientMessageId = 'unpublished' as ClientMessageId
    const body = 'never published'
    const stored = new Promise<void>((resolve) =>
      world.whenWritten(() => {
        world.killNode(index)
        resolve()
      }),
    )
    if (node && bob) {
      history.note('epilogue', { kind: 'try', senderId: alice, clientMessageId, body, node: node.owner.name })
      world.ask(owner, node, (domain) => domain.sendTo(alice, bob, { clientMessageId, body })).catch(() => undefined)
    }
    await stored
    world.startNode(index)
    return clientMessageId
  }

  return {
    whileLeaving,
    afterSilence,
    muchLater,
    afterwards,
    whileAway,
    whileComing,
    /** Only the event tells a device that stays open. */
    whileThere: async (): Promise<void> => {
      await Promise.all([writeWithin('there', 0), groupsWithin('there', 0)])
    },
  }
}
