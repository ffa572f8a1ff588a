import type { Owner } from './scheduler.ts'
import type { World } from './world.ts'

/** Injects faults for a while, then repairs everything. */
export async function runNemesis(world: World, blows: number): Promise<void> {
  const { random, scheduler, history, network, redis } = world
  const owner: Owner = { name: 'nemesis', alive: true }
  const note = (what: string) => history.note('nemesis', { kind: 'fault', what })

  const faults = {
    async kill() {
      const index = random.below(world.nodes.length)
      note(`node ${index + 1} is killed`)
      world.killNode(index)
      await scheduler.sleep(owner, random.between(0, 5000))
      world.startNode(index)
      note(`node ${index + 1} is back`)
    },

    flush() {
      note('Redis is flushed')
      redis.flush()
    },

    failOver() {
      note('Redis fails over to a replica that lags behind')
      world.failOver()
    },

    async failBack() {
      const promote = redis.replica()
      // Subscribers on other nodes of the cluster notice nothing, and may never have got what was published in between.
      const isNoticed = !world.withPeriodicResync || random.chance(0.3)
      const losesEvents = world.withPeriodicResync && random.chance(0.7)
      note(`a replica of Redis stops following${losesEvents ? ', and events are lost' : ''}`)
      if (losesEvents) network.setRates({ eventLost: 0.5 })
      await scheduler.sleep(owner, random.between(100, 5000))
      network.setRates({})
      promote()
      if (isNoticed) redis.cutSubscribers()
      note(`it becomes the master, and ${isNoticed ? 'the listening connections break' : 'no listener notices'}`)
    },

    async deafen() {
      note('the listening connections break')
      network.setDeaf(true)
      await scheduler.sleep(owner, random.between(0, 4000))
      network.setDeaf(false)
      redis.cutSubscribers()
      note('the listening connections stand again')
    },

    async redisAway() {
      note('Redis is away')
      redis.setDown(true)
      await scheduler.sleep(owner, random.between(100, 6000))
      redis.setDown(false)
      redis.cutSubscribers()
      note('Redis is back')
    },

    async failCalls() {
      note('calls fail, before and after they were carried out')
      network.setRates({ refused: 0.1, answerLost: 0.1, late: 0.1, eventLost: 0, slow: 0.2 })
      await scheduler.sleep(owner, random.between(500, 6000))
      network.setRates({})
    },

    async loseEvents() {
      note(world.withPeriodicResync ? 'events are lost' : 'nothing happens')
      network.setRates({ eventLost: world.withPeriodicResync ? 0.4 : 0 })
      await scheduler.sleep(owner, random.between(500, 8000))
      network.setRates({})
    },

    async stepClocks() {
      note('clocks step, forth and back, while something is late')
      network.setRates({ eventLost: world.withPeriodicResync ? 0.3 : 0, slow: world.isBrisk ? 0.5 : 0.2 })
      for (let left = random.between(1, 12); left > 0; left -= 1) {
        world.stepClock(random.below(world.nodes.length))
        await scheduler.sleep(owner, random.between(0, 500))
      }
      network.setRates({})
    },

    async wait() {
      note('a long time passes')
      await scheduler.sleep(owner, random.between(20_000, 60_000))
    },
  }
  const { kill, loseEvents, stepClocks, wait } = faults
  const possible: readonly (() => Promise<void> | void)[] = world.isBrisk
    ? [kill, loseEvents, loseEvents, stepClocks, wait]
    : Object.values(faults)

  for (let i = 0; i < blows; i += 1) {
    await scheduler.sleep(owner, random.between(0, world.isBrisk ? 500 : 4000))
    await random.pick(possible)()
  }
  note('all is well')
}
