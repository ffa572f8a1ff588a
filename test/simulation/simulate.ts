import type { Change } from './bugs.ts'
import { type Anomaly, check } from './checker.ts'
import { createDevice, runPager, runSender, runTickWatcher } from './clients.ts'
import { runEpilogue } from './epilogue.ts'
import { runNemesis } from './nemesis.ts'
import { noFaults } from './network.ts'
import { createWorld } from './world.ts'

const stepsMax = 300_000
/** After the last fault, in the time of the simulation. */
const currentWithinMs = 120_000

export type Outcome = { seed: number; anomalies: Anomaly[]; steps: number; lines: () => string[] }

/** One run: people chat while things break, then everything heals, then the promises are checked. */
export async function simulate(seed: number, change?: Change): Promise<Outcome> {
  const world = createWorld(seed, change)
  const { random, scheduler, history, users, truth } = world
  const [alice, bob, carol] = users
  const devices = [
    createDevice(world, alice, 'phone', false),
    createDevice(world, alice, 'laptop', false),
    createDevice(world, bob, 'bob', true),
    createDevice(world, carol, 'carol', true),
  ]
  const running = devices.map((device) => device.run())
  const forEver = [...running, runPager(world, alice, 'pager'), runTickWatcher(world, random.pick(users), 'watcher')]
  const anomalies: Anomaly[] = []
  const surprise = (error: unknown) =>
    void anomalies.push({
      promise: 'errors',
      what: error instanceof Error ? (error.stack ?? error.message) : String(error),
    })
  for (const each of forEver) each.catch(surprise)

  let ended = false
  Promise.all([
    runSender(world, alice, 'alice', 4),
    runSender(world, bob, 'bob-s', 4),
    runSender(world, carol, 'carol-s', 2),
    runNemesis(world, random.between(1, 5)),
  ])
    .catch(surprise)
    .finally(() => {
      ended = true
    })
  let steps = 0
  try {
    steps += await scheduler.run(() => ended || anomalies.length > 0, stepsMax)

    world.network.setRates(noFaults)
    for (const device of devices) device.mode = 'staying'
    const deadlineMs = scheduler.now() + currentWithinMs
    let last = await lastSeqs()
    const behind = () =>
      devices.flatMap((device) =>
        [...last]
          .filter(([id]) => world.chats.some((chat) => chat.id === id && chat.members.includes(device.userId)))
          .map(([conversationId, seq]) => ({
            device,
            conversationId,
            held: device.held.get(conversationId) ?? 0,
            last: seq,
          }))
          .filter((each) => each.held < each.last),
      )
    steps += await scheduler.run(
      () => behind().length === 0 || scheduler.now() > deadlineMs || anomalies.length > 0,
      stepsMax,
    )
    last = await lastSeqs()
    for (const { device, conversationId, held, last: seq } of behind()) {
      history.note(device.name, { kind: 'behind', userId: device.userId, conversationId, held, last: seq })
    }
    steps += await leaveAndWrite()
  } catch (error) {
    surprise(error)
  }

  const chats = await Promise.all(
    world.chats.map(async ({ id, members }) => ({ id, members, rows: await truth.messages.above(id, 0, 10_000) })),
  )
  const ticks = (await Promise.all(users.map((userId) => truth.boundaries.ofUser(userId)))).flat()
  anomalies.push(...check(history.entries, { chats, ticks }))
  return { seed, anomalies, steps, lines: history.lines }

  /** Everybody goes away; then bob is written to while he acks what he has, and the index must know of it. */
  async function leaveAndWrite(): Promise<number> {
    for (const device of devices) device.mode = 'leaving'
    let done = false
    Promise.all(running)
      .then(() => runEpilogue(world, devices))
      .catch(surprise)
      .finally(() => {
        done = true
      })
    return scheduler.run(() => done, stepsMax)
  }

  async function lastSeqs() {
    const seqs = await Promise.all(
      world.chats.map(async ({ id }) => {
        const rows = await truth.messages.above(id, 0, 10_000)
        return [id, Math.max(0, ...rows.filter(({ kind }) => kind === 'message').map(({ seq }) => seq))] as const
      }),
    )
    return new Map(seqs)
  }
}
