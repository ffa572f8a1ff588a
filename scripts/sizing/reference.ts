import type { Constants } from './constants.ts'
import { defaultLoad, type Load, makePlan } from './plan.ts'
import { defaultPrices } from './prices.ts'
import { amount, whole } from './print.ts'
import { type EventName, events, type Outcome, simulateFleet } from './simulate.ts'

/** A million users who write 159 messages a day each are 4,600 a second in the busiest minute; fifty times as many are 230,000. */
const messagesEach = (4600 * 86_400) / defaultLoad.peak / 1e6
export const referenceLoads: readonly Load[] = [1e6, 10e6, 50e6].map((users) => ({
  ...defaultLoad,
  users,
  messagesPerDay: users * messagesEach,
}))

/** Six nodes as the plan fills them, in their busiest minute. */
export function simulateAll(of: Constants, seed = 1): Outcome[] {
  const { nodes, messages, load } = makePlan(referenceLoads[2] ?? defaultLoad, of, defaultPrices)
  const run = {
    nodes: 6,
    devicesPerNode: Math.round((load.users * load.devices) / nodes.nodes),
    messagesPerSecond: (6 * messages.peak) / nodes.nodes,
    busyShare: (nodes.cores - (messages.peak * of.directCpuMs) / 1000) / nodes.nodes,
    seconds: 420,
    seed,
  }
  return (Object.keys(events) as EventName[]).map((event) => simulateFleet({ ...run, event }, of))
}

export function outcomesTable(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map(
    ({ event, maxAway, allBackS, callLine, streamLine, refusedSends, refusedAttaches, sendP99Ms, leftInLines }) => {
      const back = maxAway === 0 ? '–' : allBackS === undefined ? 'never' : `${whole(allBackS)} s`
      const cells = [
        maxAway,
        back,
        streamLine,
        callLine,
        refusedAttaches + refusedSends,
        `${amount(sendP99Ms / 1000)} s`,
        leftInLines,
      ]
      return `| ${events[event]} | ${cells.map((cell) => (typeof cell === 'number' ? whole(cell) : cell)).join(' | ')} |`
    },
  )
  const head =
    '| | devices away | all back after | longest line of streams | of calls | refused | a send waits, p99 | left in lines |'
  return [head, '|---|---|---|---|---|---|---|---|', ...rows].join('\n')
}
