import { setTimeout as sleep } from 'node:timers/promises'
import type { Scenario, Subject } from '../bench.ts'
import { body, messageAdded, sendMessage } from '../load/documents.ts'
import { ask, type GraphQLSocket, openGraphQLSocket } from '../load/graphql-socket.ts'
import { accountOf } from '../load/tokens.ts'
import type { Stores } from '../machine/stores.ts'
import { createSheet } from '../sheet.ts'

// Measures what people cost who do nothing: a thousand, each with one device, one stream and one chat. It is measured long after the last message:
// a stream looks by itself a few times before it is known to be idle.

/** A stream is idle after three periodic resyncs; sessions have been renewed by then. */
const untilIdleMs = 130_000
/** All streams have one periodic resync in this time. */
const periodMs = 30_000
const openedAtATime = 50

export const idleUsers: Scenario = async (bench) => {
  const sheet = createSheet()
  const people = bench.choose({ quick: 50, default: 1000, full: 10_000 })
  const subject = await bench.fresh('parley')
  const sockets: GraphQLSocket[] = []
  for (let i = 0; i < people; i += openedAtATime) {
    const pairs = Array.from({ length: Math.min(openedAtATime, people - i) / 2 }, (_, each) =>
      openPair(subject, i + 2 * each),
    )
    sockets.push(...(await Promise.all(pairs)).flat())
  }
  await sleep(bench.choose({ quick: 200, default: untilIdleMs, full: untilIdleMs }))
  const before = await askedOf(bench.stores)
  const { serverMs, redisMs, wallMs } = await bench.meter(subject, async () => {
    await sleep(bench.choose({ quick: 1000, default: 2 * periodMs, full: 4 * periodMs }))
    return 1
  })
  const after = await askedOf(bench.stores)
  const perThousand = (count: number) => (1000 * 1000 * count) / (wallMs * people)
  const who = `${people.toLocaleString('en')} people`
  sheet.add('idle people: server CPU per 1,000', who, '%', perThousand(serverMs) / 10)
  sheet.add('idle people: CPU of Redis per 1,000', who, '%', perThousand(redisMs) / 10)
  sheet.add(
    'idle people: Redis commands a second per 1,000, those of scripts too',
    who,
    '/s',
    perThousand(after.commands - before.commands),
  )
  sheet.add('idle people: scripts of Redis a second per 1,000', who, '/s', perThousand(after.scripts - before.scripts))
  sheet.add('idle people: DynamoDB read units a second per 1,000', who, '/s', perThousand(after.readUnits))
  if (bench.profiles !== undefined)
    await subject.profiled(`${bench.profiles}/idle-users.cpuprofile`, () => sleep(periodMs))
  for (const socket of sockets) socket.close()
  await subject.stop()
  return sheet.measured()
}

/** Two people with a chat, each with a device. */
async function openPair({ port }: Subject, index: number): Promise<GraphQLSocket[]> {
  const [alice, bob] = [accountOf(`idle-${index}`), accountOf(`idle-${index + 1}`)]
  const sockets = [await openGraphQLSocket(port, alice), await openGraphQLSocket(port, bob)] as const
  const input = { clientMessageId: `idle-${index}`, to: { userId: bob.userId }, body }
  await ask(sockets[0], sendMessage, { input })
  for (const socket of sockets) {
    const heard = new Promise<void>((resolve) => {
      socket.onText = (payload) => payload.includes('"messageAdded"') && resolve()
    })
    socket.send(socket.operation('added', messageAdded, {}))
    await heard
  }
  return [...sockets]
}

/** `commands` counts those that a script runs as well, as INFO commandstats does; `scripts` the scripts alone. `readUnits` are since the last time. */
async function askedOf({ redis, calls }: Stores) {
  const stats = await redis.info('commandstats')
  let [commands, scripts] = [0, 0]
  for (const [, name, count] of stats.matchAll(/cmdstat_(\S+?):calls=(\d+)/g)) {
    commands += Number(count)
    if (name === 'evalsha' || name === 'eval') scripts += Number(count)
  }
  const reads = Object.entries(await calls()).filter(([name]) => /^(GetItem|BatchGetItem|Query) /.test(name))
  return { commands, scripts, readUnits: reads.reduce((sum, [, { units }]) => sum + units, 0) }
}
