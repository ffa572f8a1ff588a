import { interleave, type Scenario, type Who } from '../bench.ts'
import { type Crowd, gather } from '../load/crowd.ts'
import { createSheet } from '../sheet.ts'
import { growWithMembers } from './growth-members.ts'

// Measures one message to a thousand devices in one group.

const subjects: readonly Who[] = ['parley', 'stock', 'mercurius', 'socket.io', 'raw ws']

export const fanOut: Scenario = async (bench) => {
  const sheet = createSheet()
  const size = bench.choose({ quick: 100, default: 1000, full: 1000 })
  const crowds = []
  for (const who of subjects) crowds.push(await gather(await bench.subject(who), size))
  const roundMs = bench.choose({ quick: 200, default: 300, full: 4000 })

  const sayFor = async (say: () => Promise<void>, ms: number, least: number) => {
    const endAtMs = performance.now() + ms
    let said = 0
    for (; performance.now() < endAtMs || said < least; said += 1) await say()
    return said * size
  }
  for (const { say } of crowds) await sayFor(say, bench.choose({ quick: 200, default: 1500, full: 4000 }), 15)
  const round = async ({ subject, say }: Crowd) => {
    // A server that had to wait for the others is out of all caches.
    await sayFor(say, 0, 2)
    const { count, wallMs, serverMs } = await bench.meter(subject, () => sayFor(say, roundMs, 3))
    sheet.add(cpuPerDelivery, subject.who, 'µs', (1000 * serverMs) / count, 'raw ws')
    sheet.add('fan-out to 1,000: deliveries per second', subject.who, '/s', (1000 * count) / wallMs, 'raw ws')
  }
  await interleave(bench.choose({ quick: 1, default: 3, full: 7 }), crowds, round)
  // These two are close to each other, and the machine is restless.
  const closest = crowds.filter(({ subject }) => subject.who === 'parley' || subject.who === 'raw ws')
  await interleave(bench.choose({ quick: 0, default: 8, full: 14 }), closest, round)
  const [ours] = crowds
  if (ours && bench.profiles !== undefined) {
    await ours.subject.profiled(`${bench.profiles}/fan-out.cpuprofile`, () => sayFor(ours.say, 4000, 0))
  }
  if (ours) await growWithMembers(bench, sheet, ours)
  for (const crowd of crowds) crowd.close()
  return sheet.measured()
}

export const cpuPerDelivery = 'fan-out to 1,000: server CPU per delivery'
