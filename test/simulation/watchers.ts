import type { Typing } from '../../src/ports/events.ts'
import type { UserId } from '../../src/protocol/ids.ts'
import type { MemberBoundaries } from '../../src/protocol/ticks.ts'
import { client, messageOf } from './clients.ts'
import type { World } from './world.ts'

/** This is longer than it may take until a removed member is shown nothing more. */
const watchesMsMax = 120_000

/** Watches the ticks of one chat, the ticks of all chats, or the typing in one chat, for a while or until the stream ends. */
export async function runWatcher(world: World, userId: UserId, name: string): Promise<void> {
  const { random, scheduler, history } = world
  const owner = client(name)
  for (;;) {
    await scheduler.sleep(owner, random.between(100, 3000))
    const stream = world.nextStream()
    try {
      await watch(stream)
    } catch (error) {
      history.note(name, { kind: 'failed', what: 'watch', error: messageOf(error) })
      history.note(name, { kind: 'left', stream, how: messageOf(error) })
    }
  }

  async function watch(stream: number): Promise<void> {
    const node = random.pick(world.nodes)
    const id = random.pick(world.idsFor(userId))
    const of = random.pick(['ticks', 'all ticks', 'typing'] as const)
    const noteTicks = (ticks: MemberBoundaries) =>
      history.note(name, { kind: 'ticks', ticks, source: `watch ${stream}`, watch: { stream, userId } })
    const show = (item: MemberBoundaries | Typing) => {
      if ('typing' in item) history.note(name, { kind: 'typing', typing: item, stream, userId })
      else noteTicks(item)
    }
    const source = await world.ask(owner, node, async (domain) => {
      const member = await domain.access.member(userId, id)
      if (of === 'typing') return domain.followTyping(member)
      return domain.followTicks(userId, of === 'ticks' ? member : undefined)
    })
    const only = of === 'all ticks' ? {} : { only: id }
    history.note(name, { kind: 'watch', stream, userId, of, node: node.owner.name, ...only })
    if ('setSink' in source && of !== 'typing' && random.chance(0.5)) {
      source.setSink({
        tryPush(item: MemberBoundaries) {
          if (random.chance(0.2)) return false
          noteTicks(item)
          return true
        },
      })
    }
    const over = new Promise<string>((resolve) => {
      node.deaths.add(() => resolve('node died'))
      scheduler.after(owner, random.between(1000, watchesMsMax), () => resolve('closed'))
    })
    for (;;) {
      const next = await Promise.race([source.next(), over])
      if (typeof next !== 'string' && !next.done) {
        show(next.value)
        continue
      }
      history.note(name, { kind: 'left', stream, how: typeof next === 'string' ? next : 'ended by the node' })
      source.return?.().catch(() => undefined)
      return
    }
  }
}

/** Random users begin to type, or stop. */
export async function runTypist(world: World, name: string): Promise<void> {
  const { random, scheduler, history } = world
  const owner = client(name)
  for (;;) {
    await scheduler.sleep(owner, random.between(500, 6000))
    const userId = random.pick(world.users)
    const id = random.pick(world.idsFor(userId))
    try {
      await world.ask(owner, random.pick(world.nodes), async (domain) =>
        domain.setTyping(await domain.access.member(userId, id), random.chance(0.7)),
      )
    } catch (error) {
      history.note(name, { kind: 'failed', what: 'typing', error: messageOf(error) })
    }
  }
}
