import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench, Scenario } from '../bench.ts'
import { openCrew } from '../load/crew.ts'
import { addSpent, idleRate, spentOn, startFleet } from '../load/fleet.ts'
import { createSheet, type Sheet } from '../sheet.ts'
import { idleFleets } from './scaling-idle.ts'
import { reconnects } from './scaling-reconnects.ts'

// Measures what grows with the number of nodes: what a direct message, an idle user, an attach and a storm of reconnects cost all nodes, Redis and
// DynamoDB in sum. CPU seconds stand a busy machine better than times do; commands, bytes and units are counted. DynamoDB's units are worked out from the
// rows by its rules.

export const fleetSizes = [1, 2, 4] as const

export const scaling: Scenario = async (bench) => {
  const sheet = createSheet()
  for (const size of fleetSizes) await directMessages(bench, sheet, size)
  await reconnects(bench, sheet)
  await idleFleets(bench, sheet)
  return sheet.measured()
}

/** Measures direct messages. The sender and the receiver of each pair are at different nodes, if there are two. */
async function directMessages(bench: Bench, sheet: Sheet, size: number): Promise<void> {
  const fleet = await startFleet(bench, size)
  const crews = await Promise.all(fleet.nodes.map((node, i) => openCrew(node, `direct-${i}`, fleet.portOf(i + 1))))
  const all = async (ms: number, least: number) =>
    (await Promise.all(crews.map((crew) => crew.asFastAsPossible(ms, least / size)))).reduce(
      (sum, each) => sum + each,
      0,
    )
  await all(
    bench.choose({ quick: 200, default: 1000, full: 4000 }),
    bench.choose({ quick: 100, default: 6000, full: 10_000 }),
  )
  const idle = await idleRate(fleet, () => sleep(bench.choose({ quick: 200, default: 2000, full: 10_000 })))
  for (let round = 0; round < bench.choose({ quick: 1, default: 3, full: 9 }); round += 1) {
    let count = 0
    const spent = await spentOn(fleet, idle, async () => {
      count = await all(
        bench.choose({ quick: 200, default: 500, full: 2000 }),
        bench.choose({ quick: 50, default: 2000, full: 5000 }),
      )
    })
    addSpent(sheet, 'scaling: a direct message to its double tick', fleet.name, spent, count)
  }
  for (const crew of crews) crew.close()
  await fleet.stop()
}
