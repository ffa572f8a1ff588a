import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench, Scenario } from '../bench.ts'
import { messageAdded, ticksChanged } from '../load/documents.ts'
import { addSpent, type Fleet, idleRate, spentOn, startFleet } from '../load/fleet.ts'
import { acknowledge, makeGroup, newAccount, openPerson, type Person, say } from '../load/person.ts'
import { mustRetry } from '../load/troubles.ts'
import { createSheet, type Sheet } from '../sheet.ts'

// Messages to groups whose members are all there, spread over the nodes: with the deliveries alone, and with an ack of each member beside them. The author
// follows the ticks.

const sizes = [2, 10, 100, 1000] as const
/** Of small groups several are at work at the same time, so that nodes are as busy as they are with a large one. */
const groupsOf = (members: number): number => Math.max(1, Math.min(16, Math.floor(400 / members)))
const ackedAtATime = 50

export const scalingGroups: Scenario = async (bench) => {
  const sheet = createSheet()
  for (const nodes of [1, 2, 4]) {
    const fleet = await startFleet(bench, nodes)
    for (const size of sizes) {
      const members = bench.choose({ quick: Math.min(10, size), default: size, full: size })
      await measureGroups(bench, sheet, fleet, members)
    }
    await fleet.stop()
  }
  return sheet.measured()
}

type Group = { send(): Promise<number>; sendAndAck(): Promise<void>; close(): void }

async function measureGroups(bench: Bench, sheet: Sheet, fleet: Fleet, members: number): Promise<void> {
  const groups: Group[] = []
  for (let i = 0; i < groupsOf(members); i += 1) groups.push(await openGroup(fleet, members))
  await sleep(bench.choose({ quick: 300, default: 3000, full: 5000 }))
  const each = (times: number, work: (group: Group) => Promise<unknown>) =>
    Promise.all(
      groups.map(async (group) => {
        for (let i = 0; i < times; i += 1) await work(group)
      }),
    )
  const times = (deliveries: number) => Math.ceil(deliveries / members / groups.length)
  await each(times(bench.choose({ quick: 20, default: 1000, full: 10_000 })), (group) => group.sendAndAck())
  const idle = await idleRate(fleet, () => sleep(bench.choose({ quick: 200, default: 1000, full: 5000 })))
  const who = `${members.toLocaleString('en')} members, ${fleet.name}`
  for (let round = 0; round < bench.choose({ quick: 1, default: 3, full: 5 }); round += 1) {
    const [many, some] = [
      times(bench.choose({ quick: 20, default: 1500, full: 10_000 })),
      times(bench.choose({ quick: 20, default: 800, full: 5000 })),
    ]
    const alone = await spentOn(fleet, idle, () => each(many, (group) => group.send()))
    addSpent(sheet, 'scaling: a message to a group, deliveries alone', who, alone, many * groups.length)
    const acked = await spentOn(fleet, idle, () => each(some, (group) => group.sendAndAck()))
    addSpent(sheet, 'scaling: a message to a group, with an ack of each member', who, acked, some * groups.length)
  }
  for (const group of groups) group.close()
}

async function openGroup(fleet: Fleet, members: number): Promise<Group> {
  const people: Person[] = []
  for (let i = 0; i < members; i += 1) people.push(await openPerson(fleet.portOf(i), newAccount()))
  const [author, ...others] = people as [Person, ...Person[]]
  const conversationId = await makeGroup(
    author,
    others.map(({ userId }) => userId),
  )
  let heard = 0
  let onHeard = (): void => undefined
  for (const person of others) {
    const follow = () => person.follow('added', messageAdded, {})
    person.onEvent = (_id, payload) => {
      if (payload.includes('"messageAdded"')) {
        heard += 1
        onHeard()
      } else if (mustRetry(String(payload))) follow()
    }
    follow()
  }
  author.follow('ticks', ticksChanged, { conversationId })

  async function send(): Promise<number> {
    heard = 0
    const all = new Promise<void>((resolve) => {
      onHeard = () => heard >= others.length && resolve()
    })
    const { seq } = await say(author, { conversationId })
    await all
    return seq
  }
  return {
    send,
    async sendAndAck() {
      const seq = await send()
      for (let i = 0; i < others.length; i += ackedAtATime) {
        const some = others.slice(i, i + ackedAtATime)
        await Promise.all(some.map((person) => acknowledge(person, { conversationId, seq })))
      }
    },
    close() {
      for (const person of people) person.close()
    },
  }
}
