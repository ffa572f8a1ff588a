import { setTimeout as sleep } from 'node:timers/promises'
import { MessageAddedDocument } from '../../packages/client/src/generated/graphql.ts'
import type { Bench } from '../bench.ts'
import { followAsClient } from '../load/client-streams.ts'
import { type Fleet, startFleet } from '../load/fleet.ts'
import { acknowledge, newAccount, openPerson, type Person, say } from '../load/person.ts'
import type { Sheet } from '../sheet.ts'

// People who do nothing, each with one chat whose last message was delivered: with the stream of messages alone, and with all streams that the client has.
// All fleets idle at the same time, which takes as long as one. Fleets without people show what goes by the clock of a node, and is taken off.

const untilIdleMs = 130_000
const periodMs = 30_000
const openedAtATime = 20

export async function idleFleets(bench: Bench, sheet: Sheet): Promise<void> {
  const users = bench.choose({ quick: 20, default: 300, full: 1000 })
  const fleets = []
  for (const size of [1, 2, 4]) {
    fleets.push({ fleet: await startFleet(bench, size), streams: 'none', people: [] as Person[] })
    for (const streams of ['messages', 'client'] as const) {
      const fleet = await startFleet(bench, size)
      fleets.push({ fleet, streams, people: await open(fleet, users, streams) })
    }
  }
  await sleep(bench.choose({ quick: 200, default: untilIdleMs, full: untilIdleMs }))
  const before = await Promise.all(fleets.map(({ fleet }) => fleet.spent()))
  await sleep(bench.choose({ quick: 1000, default: 2 * periodMs, full: 4 * periodMs }))
  const after = await Promise.all(fleets.map(({ fleet }) => fleet.spent()))
  const rates = fleets.map(({ fleet, streams }, i) => {
    const [from, to] = [before[i], after[i]]
    const perSecond = (name: 'nodeMs' | 'redisMs' | 'commands' | 'readUnits' | 'writeUnits') =>
      from && to ? (1000 * (to[name] - from[name])) / (to.atMs - from.atMs) : 0
    return {
      name: fleet.name,
      streams,
      nodeMs: perSecond('nodeMs'),
      redisMs: perSecond('redisMs'),
      commands: perSecond('commands'),
      readUnits: perSecond('readUnits'),
    }
  })
  for (const { name, streams, ...rate } of rates) {
    const empty = rates.find((each) => each.name === name && each.streams === 'none')
    if (streams === 'none' || !empty) {
      sheet.add('scaling: nodes without people: CPU, in sum', name, '% of a core', rate.nodeMs / 10)
      sheet.add('scaling: nodes without people: commands of Redis a second, in sum', name, '/s', rate.commands)
      continue
    }
    const what = `scaling: 1,000 idle people, ${streams === 'client' ? 'the streams of the client' : 'one stream of messages'}`
    const perThousand = (of: 'nodeMs' | 'redisMs' | 'commands' | 'readUnits') =>
      (1000 * Math.max(0, rate[of] - empty[of])) / users
    sheet.add(`${what}: CPU of the nodes`, name, '% of a core', perThousand('nodeMs') / 10)
    sheet.add(`${what}: CPU of Redis`, name, '% of a core', perThousand('redisMs') / 10)
    sheet.add(`${what}: commands of Redis a second`, name, '/s', perThousand('commands'))
    sheet.add(`${what}: DynamoDB read units a second`, name, '/s', perThousand('readUnits'))
  }
  for (const { fleet, people } of fleets) {
    for (const person of people) person.close()
    await fleet.stop()
  }
}

async function open(fleet: Fleet, users: number, streams: 'messages' | 'client'): Promise<Person[]> {
  const people: Person[] = []
  for (let i = 0; i < users; i += openedAtATime) {
    const pairs = Array.from({ length: openedAtATime / 2 }, (_, n) => openPair(fleet, i + 2 * n, streams))
    people.push(...(await Promise.all(pairs)).flat())
  }
  return people
}

async function openPair(fleet: Fleet, index: number, streams: 'messages' | 'client'): Promise<Person[]> {
  const pair = [
    await openPerson(fleet.portOf(index), newAccount()),
    await openPerson(fleet.portOf(index + 1), newAccount()),
  ] as const
  const said = await say(pair[0], { userId: pair[1].userId })
  await acknowledge(pair[1], said)
  for (const person of pair) {
    if (streams === 'client') await followAsClient(person, [said])
    else person.follow('added', MessageAddedDocument, { after: [said] })
  }
  return [...pair]
}
