import type { ClientMessageId, ConversationId, Seq, UserId } from '../../src/protocol/ids.ts'
import type { Change } from './bugs/bugs.ts'
import { runChanger } from './changer.ts'
import { check } from './checker.ts'
import { runPager, runSender } from './clients.ts'
import { createDevice, type Device } from './device.ts'
import { createEpilogue } from './epilogue.ts'
import { checkFeed, type Fed, readWholeFeed, runConsumer } from './feed.ts'
import type { Anomaly, FinalChat } from './final-log.ts'
import { runFounder, runGroupActor } from './group-actor.ts'
import { createIdleWatchers } from './idle-watchers.ts'
import { runNemesis } from './nemesis.ts'
import { checkNotices, isNotice, showsLostChanges, withNotices, withNoticesInLog } from './notices.ts'
import { runTypist, runWatcher } from './watchers.ts'
import { createWorld } from './world.ts'

const stepsMax = 300_000
/** Every device must be current within this time after the last fault, in the time of the simulation. */
const currentWithinMs = 120_000
/** After a silence nothing else is wrong than that events are lost: this is the time between two periodic resyncs, and what a device takes. */
const foundWithinMs = 50_000

type Outcome = { seed: number; anomalies: Anomaly[]; steps: number; lines: () => string[] }

/** Makes one run: users chat while faults happen, then all faults end, all users leave and come back, and the promises are checked. */
export async function simulate(seed: number, change?: Change): Promise<Outcome> {
  const world = createWorld(seed, change)
  const { random, scheduler, history, users, truth } = world
  const [alice, bob, carol] = users
  const epilogue = createEpilogue(world)
  const hasNotices = change === withNotices || change === showsLostChanges
  const fed: Fed[] = []
  const fedAtEnd: Fed[] = []
  const habits = () => ({
    followsChanges: random.chance(0.7),
    hasSink: random.chance(0.6),
    isKept: world.keepsPositions,
  })
  const devices = [
    createDevice(world, alice, 'phone', { sole: false, ...habits() }),
    createDevice(world, alice, 'laptop', { sole: false, ...habits() }),
    createDevice(world, bob, 'bob', { sole: true, ...habits() }),
    createDevice(world, carol, 'carol', { sole: true, ...habits() }),
  ]
  let running = devices.map((device) => device.run())
  const forEver = [
    ...running,
    runPager(world, 'pager'),
    runTypist(world, 'typist'),
    ...users.map((userId) => runWatcher(world, userId, `${userId}-w`)),
    ...(change?.feed ? [runConsumer(world, fed)] : []),
  ]
  /** They were stored, and are to be found as if they had been acknowledged. */
  const unpublished: ClientMessageId[] = []
  const anomalies: Anomaly[] = []
  const surprise = (error: unknown) =>
    void anomalies.push({
      promise: 'errors',
      what: error instanceof Error ? (error.stack ?? error.message) : String(error),
    })
  for (const each of forEver) each.catch(surprise)

  let steps = 0
  try {
    steps += await during([
      runSender(world, alice, 'alice', 4),
      runSender(world, bob, 'bob-s', 4),
      runSender(world, carol, 'carol-s', 2),
      runChanger(world, alice, 'alice-c', 3),
      runChanger(world, bob, 'bob-c', 3),
      runChanger(world, carol, 'carol-c', 2),
      runFounder(world, random.pick(users), 'group-1'),
      random.chance(0.3) ? runFounder(world, random.pick(users), 'group-2') : Promise.resolve(),
      ...users.map((userId) => runGroupActor(world, userId, random.between(1, 4))),
      runNemesis(world, random.between(1, 5)),
    ])
    world.network.setRates({})
    for (const device of devices) device.setMode('staying')
    steps += await becomeCurrent()
    steps += await leave(1)
    steps += await during([epilogue.whileAway(devices)])
    steps += await comeBack(1)
    steps += await leave(2)
    steps += await comeBack(2)
    steps += await during([epilogue.whileThere()])
    steps += await becomeCurrent()
    if (world.growsIdle && world.withPeriodicResync) {
      const idle = createIdleWatchers(world, devices)
      steps += await during([epilogue.afterSilence(idle).then((ids) => void unpublished.push(...ids))])
      steps += await becomeCurrent(foundWithinMs)
      steps += await during([idle.becomeCurrent()])
      world.network.setRates({})
    }
    if (random.chance(0.3)) steps += await during([epilogue.muchLater(devices)])
    if (random.chance(0.5)) {
      for (const device of devices) device.setMode('leaving')
      steps += await during([epilogue.afterwards(devices, Promise.all(running))])
    }
  } catch (error) {
    surprise(error)
  }

  if (change?.feed) {
    world.network.setRates({})
    await during([readWholeFeed(world, fedAtEnd)])
  }
  const ticks = (await Promise.all(users.map((userId) => truth.boundaries.ofUser(userId)))).flat()
  const chats = await everyChat()
  if (change?.feed) anomalies.push(...checkFeed(chats, fed, fedAtEnd))
  if (hasNotices) anomalies.push(...checkNotices(history.entries, chats))
  anomalies.push(
    ...check(history.entries, {
      chats,
      hasNotices,
      ticks,
      // A number that was announced and given back is voided by readers of the feed.
      isBrisk: world.isBrisk && !change?.feed,
      voidedByReaders: world.voidedByReaders(),
      writtenAtMs: world.writtenAtMs,
    }),
  )
  return { seed, anomalies, steps, lines: history.lines }

  function leave(time: number): Promise<number> {
    for (const device of devices) device.setMode('leaving')
    return during([epilogue.whileLeaving(time, devices, Promise.all(running))])
  }

  async function comeBack(time: number): Promise<number> {
    for (const device of devices) device.setMode('staying')
    running = devices.map((device) => device.run())
    for (const each of running) each.catch(surprise)
    const taken = await during([epilogue.whileComing(time)])
    return taken + (await becomeCurrent())
  }

  function during(work: Promise<void>[]): Promise<number> {
    let done = false
    Promise.all(work)
      .catch(surprise)
      .finally(() => {
        done = true
      })
    return scheduler.run(() => done || anomalies.length > 0, stepsMax)
  }

  /** Waits until every device has everything that was acknowledged, and notes what is missing. */
  async function becomeCurrent(withinMs = currentWithinMs): Promise<number> {
    const deadlineMs = scheduler.now() + withinMs
    const wanted = await wantedBy(devices)
    const taken = await scheduler.run(
      () => wanted.every(isHeld) || scheduler.now() > deadlineMs || anomalies.length > 0,
      stepsMax,
    )
    for (const each of (await wantedBy(devices)).filter((each) => !isHeld(each))) {
      const { device, conversationId, of, last } = each
      history.note(device.name, {
        kind: 'behind',
        userId: device.userId,
        conversationId,
        of,
        held: heldOf(each),
        last,
      })
    }
    return taken
  }

  /** Returns how far each device has to get: to the last message and the last change of each chat that its user may see. */
  async function wantedBy(all: readonly Device[]): Promise<Wanted[]> {
    const chats = await acknowledged()
    return all.flatMap((device) =>
      chats
        .filter(({ members }) => members.includes(device.userId))
        .flatMap(({ id, messages, changes, joinedSeqOf }) => {
          const joinedSeq = joinedSeqOf(device.userId)
          const seen = messages.filter((each) => each.seq > (isNotice(each) ? joinedSeq - 1 : joinedSeq))
          const seenChanges = changes.filter(({ seq, targetSeq }) => seq > joinedSeq && targetSeq > joinedSeq)
          const last = (rows: readonly { seq: Seq }[]) => Math.max(0, ...rows.map(({ seq }) => seq))
          return [
            { device, conversationId: id, of: 'messages' as const, last: last(seen) },
            ...(device.changes
              ? [{ device, conversationId: id, of: 'changes' as const, last: last(seenChanges) }]
              : []),
          ]
        }),
    )
  }

  /**
   * Returns what was acknowledged. A change that was refused in the end, because the message had been deleted, may be in the log without having
   * been published; and so may a message to a group that its author has given up on.
   */
  async function acknowledged() {
    const ids = new Set([
      ...unpublished,
      ...history.entries.flatMap((entry) =>
        entry.kind === 'altered' || entry.kind === 'sent' ? [entry.clientMessageId] : [],
      ),
    ])
    const chats = await everyChat()
    return (hasNotices ? withNoticesInLog(chats) : chats).map(({ rows, group, ...chat }) => ({
      ...chat,
      messages: rows
        .filter((row) => row.kind === 'message')
        .filter((row) => isNotice(row) || ids.has(row.clientMessageId)),
      changes: rows.filter((row) => row.kind === 'change').filter((row) => ids.has(row.clientMessageId)),
      joinedSeqOf: (userId: UserId): Seq => group?.membersById.get(userId)?.joinedSeq ?? 0,
    }))
  }

  async function everyChat(): Promise<FinalChat[]> {
    const groups = await truth.conversations.getMany([...world.groups])
    const indexed = await Promise.all(
      users.map(async (userId) => ({ userId, rows: await truth.memberships.ofUser(userId) })),
    )
    const chats = [...world.chats, ...groups.filter((each) => each.kind === 'GROUP')]
    return Promise.all(
      chats.map(async (chat) => ({
        id: chat.id,
        members: chat.members,
        ...('membersById' in chat && { group: chat }),
        indexed: indexed
          .filter(({ rows }) => rows.some(({ conversationId }) => conversationId === chat.id))
          .map(({ userId }) => userId),
        rows: await truth.messages.above(chat.id, 0, 10_000),
      })),
    )
  }
}

type Wanted = { device: Device; conversationId: ConversationId; of: 'messages' | 'changes'; last: Seq }

const heldOf = ({ device, conversationId, of }: Wanted): Seq =>
  Math.max(
    (of === 'messages' ? device.held : device.changes)?.get(conversationId) ?? 0,
    // Where the user's other devices were before it came, there may have been nothing for it to get.
    device.began()?.get(conversationId) ?? 0,
  )

const isHeld = (wanted: Wanted): boolean => heldOf(wanted) >= wanted.last
