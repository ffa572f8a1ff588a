import { noFaults } from './network.ts'
import type { Owner } from './scheduler.ts'
import type { World } from './world.ts'

/** Does harm for a while, then puts everything back in order. */
export async function runNemesis(world: World, blows: number): Promise<void> {
  const { random, scheduler, history, network, redis } = world
  const owner: Owner = { name: 'nemesis', alive: true }
  const note = (what: string) => history.note('nemesis', { kind: 'fault', what })

  const faults: (() => Promise<void> | void)[] = [
    async () => {
      const index = random.below(world.nodes.length)
      note(`node ${index + 1} is killed`)
      world.killNode(index)
      await scheduler.sleep(owner, random.between(0, 5000))
      world.startNode(index)
      note(`node ${index + 1} is back`)
    },
    () => {
      note('Redis is flushed')
      redis.flush()
    },
    () => {
      note('Redis fails over to a replica that lags behind')
      world.failOver()
    },
    async () => {
      note('the listening connections break')
      network.setDeaf(true)
      await scheduler.sleep(owner, random.between(0, 4000))
      network.setDeaf(false)
      redis.cutSubscribers()
      note('the listening connections stand again')
    },
    async () => {
      note('Redis is away')
      redis.setDown(true)
      await scheduler.sleep(owner, random.between(100, 6000))
      redis.setDown(false)
      redis.cutSubscribers()
      note('Redis is back')
    },
    async () => {
      note('calls fail, before and after they were carried out')
      network.setRates({ refused: 0.1, answerLost: 0.1, late: 0.1, eventLost: 0, slow: 0.2 })
      await scheduler.sleep(owner, random.between(500, 6000))
      network.setRates(noFaults)
    },
    async () => {
      note(world.withBeat ? 'events are lost' : 'nothing happens')
      network.setRates({ ...noFaults, eventLost: world.withBeat ? 0.4 : 0 })
      await scheduler.sleep(owner, random.between(500, 8000))
      network.setRates(noFaults)
    },
    async () => {
      note('a long time passes')
      await scheduler.sleep(owner, random.between(20_000, 60_000))
    },
  ]

  for (let i = 0; i < blows; i += 1) {
    await scheduler.sleep(owner, random.between(0, 4000))
    await random.pick(faults)()
  }
  note('all is well')
}
