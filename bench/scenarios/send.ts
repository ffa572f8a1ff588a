import { type Bench, interleave, type Scenario, type Who } from '../bench.ts'
import { type Crew, openCrew } from '../load/crew.ts'
import { createSheet, quantile } from '../sheet.ts'

// Measures a message to a connected user, and back to the sender's double tick.

const subjects: readonly Who[] = ['parley', 'stock', 'mercurius', 'socket.io', 'raw ws']
const openRate = 100
const [runUpMs, runUpCount] = [150, 50]
/** Cold code costs a multiple, and is compiled for some thousand messages: the time alone would not do. Stock is done sooner. */
const warmCount = (who: Who): number => (who === 'stock' ? 2000 : 3000)
const roundCount = 100

export const sendToAttached: Scenario = async (bench) => {
  const sheet = createSheet()
  const crews = []
  for (const who of subjects) crews.push(await openCrew(await bench.subject(who), who))
  crews.push(await openCrew(await bench.unhindered(), unhindered))
  const feeding = await bench.fresh('parley', { EVENTS: 'on', TABLE_PREFIX: 'feeding_' })
  crews.push(await openCrew(feeding, withEvents))
  const roundMs = bench.choose({ quick: 300, default: 400, full: 5000 })
  const warmMs = bench.choose({ quick: 300, default: 800, full: 4000 })
  for (const { subject, asFastAsPossible } of crews)
    await subject.stores.unmeasured(() => asFastAsPossible(warmMs, warmCount(subject.who)))

  const round = async ({ subject, name, asFastAsPossible }: Crew) => {
    // A server that had to wait for the others is out of all caches.
    await asFastAsPossible(runUpMs, runUpCount)
    await subject.stores.calls()
    const { count, wallMs, serverMs, redisMs, dynamodbMs } = await bench.meter(subject, () =>
      asFastAsPossible(roundMs, roundCount),
    )
    const add = (what: string, unit: string, value: number) => sheet.add(what, name, unit, value, 'raw ws')
    add(cpuPerMessage, 'ms', serverMs / count)
    if (subject.who !== 'raw ws') sheet.add('send: Redis CPU per message', name, 'ms', redisMs / count, 'mercurius')
    if (subject.who === 'parley' || subject.who === 'stock') {
      const calls = Object.values(await subject.stores.calls()).reduce((sum, each) => sum + each.calls, 0)
      sheet.add('send: DynamoDB calls per message', name, 'calls', calls / count, 'stock')
      sheet.add('send: DynamoDB CPU per message', name, 'ms', dynamodbMs / count, 'stock')
    }
    add('send: CPU per message with its stores', 'ms', (serverMs + redisMs + dynamodbMs) / count)
    add('send: double ticks per second, 32 pairs', '/s', (1000 * count) / wallMs)
  }
  await interleave(bench.choose({ quick: 1, default: 5, full: 7 }), crews, round)
  // These two are compared with each other, and the machine is restless.
  const compared = crews.filter(({ name }) => name === 'mercurius' || name === unhindered)
  await interleave(bench.choose({ quick: 0, default: 8, full: 14 }), compared, round)
  await interleave(bench.choose({ quick: 1, default: 2, full: 5 }), crews, async ({ subject, name, atRate }) => {
    const [deliveredMs, tickedMs]: [number[], number[]] = [[], []]
    const { count, serverMs } = await bench.meter(subject, () =>
      atRate(openRate, bench.choose({ quick: 500, default: 1000, full: 10_000 }), deliveredMs, tickedMs),
    )
    sheet.add(cpuPerMessageAtRate, name, 'ms', serverMs / count, 'mercurius')
    const add = (what: string, value: number) => sheet.add(what, name, 'ms', value, 'raw ws')
    add('send: delivered at 100/s, p50', quantile(deliveredMs, 0.5))
    add('send: delivered at 100/s, p99', quantile(deliveredMs, 0.99))
    add('send: double tick at 100/s, p50', quantile(tickedMs, 0.5))
    add('send: double tick at 100/s, p99', quantile(tickedMs, 0.99))
  })
  await profile(bench, crews[0])
  for (const crew of crews) crew.close()
  await feeding.stop()
  return sheet.measured()
}

/** This one shows what the feed for backends costs a send. */
const withEvents = 'parley, EVENTS=on'
/** This is ours with a DynamoDB that can do more than we ask for, as mercurius has a Redis that can. */
export const unhindered = 'parley, quick DynamoDB'
export const cpuPerMessage = 'send: server CPU per message'
/** A server that gets more at a time does each for less, so this compares servers that do the same. */
export const cpuPerMessageAtRate = `send: server CPU per message at ${openRate}/s`

async function profile({ profiles, choose }: Bench, crew: Crew | undefined): Promise<void> {
  if (profiles === undefined || !crew) return
  const ms = choose({ quick: 1000, default: 4000, full: 8000 })
  await crew.subject.profiled(`${profiles}/send.cpuprofile`, () => crew.asFastAsPossible(ms))
}
