import { type ConversationId, isGroupId, type Seq, type UserId } from '../../src/protocol/ids.ts'
import { client } from './clients.ts'
import type { Device } from './device.ts'
import type { World } from './world.ts'

// Every user watches their list and all ticks while everybody is idle, and then every event is lost. A list is what an app makes of it: it reads a
// conversation anew whenever the stream says that it has changed. Then both must be current by the periodic resync alone.

/** What is lost is found by the next periodic resync, which may have to read slowly. */
const lostFoundWithinMs = 50_000
/** A killed node is noticed after 25 s, and a call that failed is told after 20 s; the next periodic resync comes up to 30 s later. */
const failedFoundWithinMs = 80_000

/** The state of a conversation as its user sees it in a list. */
type Listed = { seq: Seq; readSeq: Seq; settings: string }
type Wanted = {
  who: string
  userId: UserId
  conversationId: ConversationId
  of: 'list' | 'ticks'
  held: Seq
  last: Seq
}

export type IdleWatchers = ReturnType<typeof createIdleWatchers>

export function createIdleWatchers(world: World, devices: readonly Device[]) {
  const { random, scheduler, history, users, truth } = world
  const owner = client('idle watchers')
  const lists: { userId: UserId; isOver: () => boolean; held: Map<ConversationId, Listed> }[] = []
  const ticks: { userId: UserId; isOver: () => boolean; held: Map<string, Seq> }[] = []
  /** What all devices of a user have when this begins. Nobody acknowledges more. */
  let atBegin: Awaited<ReturnType<typeof membersOf>> = []
  let foundWithinMs = lostFoundWithinMs

  async function begin(): Promise<void> {
    await Promise.all(users.map((userId) => untilDone(() => watchList(userId))))
    await Promise.all(users.map((userId) => untilDone(() => watchTicks(userId))))
    atBegin = (await membersOf()).map(withHeld).filter(({ last }) => last > 0)
    // A stream of all ticks looks after the people whose ticks it has shown.
    await Promise.all(atBegin.map((each) => acknowledge(each, { read: false })))
  }

  async function watchList(userId: UserId): Promise<void> {
    const node = random.pick(world.nodes)
    const stream = await world.ask(owner, node, (domain) => domain.followConversationUpdates(userId))
    const held = new Map<ConversationId, Listed>()
    const isOver = consumed(node, stream, async ({ id, member }) => {
      if (member) held.set(id, await listed(userId, id))
      else held.delete(id)
    })
    for (const { id } of (await membersOf()).filter((each) => each.userId === userId)) {
      held.set(id, await listed(userId, id))
    }
    lists.push({ userId, isOver, held })
  }

  async function watchTicks(userId: UserId): Promise<void> {
    const node = random.pick(world.nodes)
    const number = world.nextStream()
    const stream = await world.ask(owner, node, (domain) => domain.followTicks(userId))
    history.note(owner.name, { kind: 'watch', stream: number, userId, of: 'all ticks', node: node.owner.name })
    const held = new Map<string, Seq>()
    const isOver = consumed(node, stream, async (shown) => {
      history.note(owner.name, {
        kind: 'ticks',
        ticks: shown,
        source: `watch ${number}`,
        watch: { stream: number, userId },
      })
      held.set(`${shown.conversationId} ${shown.userId}`, shown.lastReadSeq)
    })
    ticks.push({ userId, isOver, held })
  }

  /** Hands over everything that the stream shows. Returns a function that says whether it has ended. */
  function consumed<T>(
    node: World['nodes'][number],
    stream: AsyncIterableIterator<T>,
    show: (item: T) => Promise<void>,
  ): () => boolean {
    let isOver = false
    node.deaths.add(() => {
      isOver = true
    })
    void (async () => {
      for await (const item of stream) if (!isOver) await show(item)
    })()
      .catch(() => undefined)
      .finally(() => {
        isOver = true
      })
    return () => isOver
  }

  async function listed(userId: UserId, id: ConversationId): Promise<Listed> {
    const [rows, [own], [membership]] = await Promise.all([
      truth.messages.above(id, 0, 10_000),
      truth.boundaries.getMany([{ userId, conversationId: id }]),
      truth.memberships.getMany([{ userId, conversationId: id }]),
    ])
    const last = rows.findLast((row) => row.kind !== 'void')
    return {
      seq: last?.seq ?? 0,
      readSeq: own?.lastReadSeq ?? 0,
      settings: JSON.stringify(membership?.settings ?? null),
    }
  }

  /** Returns who is in what, of the conversations in which there is something. */
  async function membersOf(): Promise<{ userId: UserId; id: ConversationId; last: Seq }[]> {
    const groups = await truth.conversations.getMany([...world.groups])
    const all = await Promise.all(
      [...world.chats, ...groups].map(async ({ id, members }) => {
        const rows = await truth.messages.above(id, 0, 10_000)
        const last = rows.findLast((row) => row.kind === 'message')?.seq ?? 0
        return last > 0 ? [...new Set(members)].map((userId) => ({ userId, id, last })) : []
      }),
    )
    return all.flat()
  }

  async function untilDone(attempt: () => Promise<unknown>): Promise<void> {
    for (;;) {
      try {
        return void (await attempt())
      } catch {
        await scheduler.sleep(owner, 100)
      }
    }
  }

  function withHeld({ userId, id, last }: (typeof atBegin)[number]): (typeof atBegin)[number] {
    const own = devices.filter((device) => device.userId === userId)
    return { userId, id, last: Math.min(last, ...own.map(({ held }) => held.get(id) ?? 0)) }
  }

  function says({ userId, id, last }: (typeof atBegin)[number], read: Seq): void {
    for (const { said } of devices.filter((device) => device.userId === userId)) {
      said.set(id, Math.max(last, said.get(id) ?? 0))
    }
    history.note(owner.name, { kind: 'says', userId, conversationId: id, delivered: last, read })
  }

  async function acknowledge(
    { userId, id, last }: (typeof atBegin)[number],
    { read }: { read: boolean },
  ): Promise<void> {
    says({ userId, id, last }, read ? last : 0)
    const node = random.pick(world.nodes)
    await world
      .ask(owner, node, async (domain) => {
        const member = await domain.access.member(userId, id)
        return read ? domain.markRead(member, last) : domain.ack(member, last)
      })
      .catch(() => undefined)
  }

  /** Some read what they have, and some change a setting. */
  const stir = (): Promise<void> =>
    perhapsFailing(async () => {
      await Promise.all(
        atBegin.map(async (each) => {
          if (random.chance(0.5)) await acknowledge(each, { read: true })
          if (random.chance(0.2)) await changeSetting(each)
        }),
      )
    })

  /** One thing happens, so that no other one leads to it. */
  const stirOnce = (): Promise<void> =>
    perhapsFailing(async () => {
      const someone = random.pick(atBegin)
      if (!someone) return
      if (random.chance(0.7)) await acknowledge(someone, { read: true })
      else await changeSetting(someone)
    })

  /** Calls may fail meanwhile, before and after they are carried out, and nobody repeats what has failed. */
  async function perhapsFailing(act: () => Promise<void>): Promise<void> {
    if (random.chance(0.4)) {
      foundWithinMs = failedFoundWithinMs
      world.network.setRates({ eventLost: 1, refused: 0.1, answerLost: 0.2, late: 0.2 })
    }
    await act()
    world.network.setRates({ eventLost: 1 })
  }

  async function changeSetting({ userId, id }: (typeof atBegin)[number]): Promise<void> {
    await world
      .ask(owner, random.pick(world.nodes), async (domain) =>
        domain.settings.configure(await domain.access.member(userId, id), { pinned: random.chance(0.5) }),
      )
      .catch(() => undefined)
  }

  /** Somebody reads by a node that dies when that is written. */
  async function dieAfterReading(): Promise<void> {
    foundWithinMs = failedFoundWithinMs
    const index = random.below(world.nodes.length)
    const node = world.nodes[index]
    const someone = random.pick(atBegin.filter(({ id }) => !isGroupId(id)))
    if (!someone) return
    const { userId, id, last } = someone
    const [own] = await truth.boundaries.getMany([{ userId, conversationId: id }])
    if (!node || !own || own.lastReadSeq >= last) return
    says(someone, last)
    const written = new Promise<void>((resolve) =>
      world.whenRead(() => {
        world.killNode(index)
        resolve()
      }),
    )
    world
      .ask(owner, node, async (domain) => domain.markRead(await domain.access.member(userId, id), last))
      .catch(() => undefined)
    await written
    world.startNode(index)
  }

  /** Waits until everybody is current, and notes who is not. Devices go on reading, and what they do is lost as well. */
  async function becomeCurrent(): Promise<void> {
    let before = ''
    let sinceMs = scheduler.now()
    for (;;) {
      const missing = await behind()
      const now = JSON.stringify(missing)
      if (now !== before) sinceMs = scheduler.now()
      before = now
      const isOver = scheduler.now() >= sinceMs + foundWithinMs
      if (isOver) for (const { who, ...each } of missing) history.note(who, { kind: 'behind', ...each })
      if (isOver || missing.length === 0) return
      await scheduler.sleep(owner, 500)
    }
  }

  async function behind(): Promise<Wanted[]> {
    const members = await membersOf()
    const ofLists = await Promise.all(
      lists
        .filter(({ isOver }) => !isOver())
        .map(async ({ userId, held }) => {
          const own = members.filter((each) => each.userId === userId)
          const missing = await Promise.all(
            own.map(async ({ id }): Promise<Wanted[]> => {
              const [has, is] = [held.get(id), await listed(userId, id)]
              if (has && has.seq >= is.seq && has.readSeq >= is.readSeq && has.settings === is.settings) return []
              return [
                {
                  who: `${userId}'s list`,
                  userId,
                  conversationId: id,
                  of: 'list',
                  held: has?.seq ?? 0,
                  last: is.seq,
                },
              ]
            }),
          )
          const gone = [...held.keys()].filter((id) => isGroupId(id) && !own.some((each) => each.id === id))
          return [
            ...missing.flat(),
            ...gone.map(
              (id): Wanted => ({ who: `${userId}'s list`, userId, conversationId: id, of: 'list', held: 1, last: 0 }),
            ),
          ]
        }),
    )
    const ofTicks = await Promise.all(
      ticks
        .filter(({ isOver }) => !isOver())
        .map(async ({ userId, held }) => {
          const others = members.filter((each) => each.userId !== userId && held.has(`${each.id} ${each.userId}`))
          const shared = others.filter(({ id }) => members.some((each) => each.id === id && each.userId === userId))
          const now = await truth.boundaries.getMany(
            shared.map((each) => ({ userId: each.userId, conversationId: each.id })),
          )
          return now.flatMap((each): Wanted[] => {
            const has = held.get(`${each.conversationId} ${each.userId}`) ?? 0
            const { conversationId, lastReadSeq: last } = each
            return has >= last
              ? []
              : [{ who: `${userId}'s ticks`, userId, conversationId, of: 'ticks', held: has, last }]
          })
        }),
    )
    return [...ofLists, ...ofTicks].flat()
  }

  return { begin, stir, stirOnce, dieAfterReading, becomeCurrent }
}
