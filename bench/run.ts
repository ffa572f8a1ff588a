// npm run bench                       what is in the table of docs/performance.md, in about nine minutes
// npm run bench -- --full             longer rounds, 10,000 sockets, a million messages, and the scenarios on the side
// npm run bench -- --only send,query  some of them
// npm run bench -- --quick            whether it all runs; the figures mean nothing
// npm run bench -- --profile <dir>    writes where our node's time goes, and prints the top of it
// Starts what it measures. Figures are ratios within one run: two machines, or two moments of one, are not comparable.
import { mkdir, writeFile } from 'node:fs/promises'
import { cpus, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { type Depth, type Scenario, startBench } from './bench.ts'
import { takeTroubles } from './load/troubles.ts'
import { printMustHold } from './report/must-hold.ts'
import { type Result, writePage } from './report/page.ts'
import { printTable } from './report/table.ts'
import { clusterFaults } from './scenarios/cluster-faults.ts'
import { dynamoClient } from './scenarios/dynamo-client.ts'
import { embedded } from './scenarios/embedded.ts'
import { fanOut } from './scenarios/fan-out.ts'
import { history } from './scenarios/history.ts'
import { hotConversation } from './scenarios/hot-conversation.ts'
import { idle } from './scenarios/idle.ts'
import { idleUsers } from './scenarios/idle-users.ts'
import { mutationWithoutStorage } from './scenarios/mutation.ts'
import { pushWhileProviderIsDown } from './scenarios/push.ts'
import { queryOfTwenty } from './scenarios/query.ts'
import { redisMasters } from './scenarios/redis-masters.ts'
import { scaling } from './scenarios/scaling.ts'
import { scalingGroups } from './scenarios/scaling-groups.ts'
import { sendToAttached } from './scenarios/send.ts'
import { stored } from './scenarios/stored.ts'
import type { Measured } from './sheet.ts'

const scenarios: Record<string, Scenario> = {
  send: sendToAttached,
  query: queryOfTwenty,
  mutation: mutationWithoutStorage,
  'fan-out': fanOut,
  idle,
  'idle-users': idleUsers,
  history,
  embedded,
  push: pushWhileProviderIsDown,
  'dynamo-client': dynamoClient,
  'cluster-faults': clusterFaults,
  'redis-masters': redisMasters,
  stored,
  scaling,
  'scaling-groups': scalingGroups,
  'hot-conversation': hotConversation,
}
const onTheSide: readonly string[] = [
  'push',
  'dynamo-client',
  'cluster-faults',
  'redis-masters',
  'stored',
  'scaling',
  'scaling-groups',
  'hot-conversation',
]

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    full: { type: 'boolean' },
    quick: { type: 'boolean' },
    profile: { type: 'string' },
  },
})
/** A scenario that takes longer is given up. This is ten times what any takes on a quiet machine. */
const scenarioMaxMs = 60_000 * (values.full ? 60 : 20)
const depth: Depth = values.full ? 'full' : values.quick ? 'quick' : 'default'
const wanted =
  values.only?.split(',') ?? Object.keys(scenarios).filter((name) => values.full || !onTheSide.includes(name))
const unknown = wanted.filter((name) => !scenarios[name])
if (unknown.length > 0) {
  throw new Error(`There is no scenario ${unknown.join(', ')}. There are: ${Object.keys(scenarios).join(', ')}`)
}

const results = new URL('results/', import.meta.url)
await mkdir(results, { recursive: true })
if (values.profile !== undefined) await mkdir(values.profile, { recursive: true })
const beganAtMs = performance.now()
const bench = await startBench(depth, values.profile)
const all: Measured[] = []
let isEnding = false

/** Ends the run and all that it has started. Errors on the way, such as sockets of a server that is stopped, are not told. */
function giveUp(reason: unknown): void {
  if (isEnding) return
  isEnding = true
  console.error(reason)
  void bench.stop().finally(() => process.exit(1))
}
process.on('uncaughtException', giveUp)
process.on('SIGINT', giveUp)
process.on('SIGTERM', giveUp)
try {
  for (const name of wanted) {
    const scenarioBeganAtMs = performance.now()
    const machine = {
      // These are the cores of the machine. This process itself is pinned to one of them.
      cores: cpus().length,
      model: cpus()[0]?.model,
      node: process.version,
      loadBefore: loadavg(),
    }
    const hangs = setTimeout(() => {
      throw new Error(`${name} has not ended in ${scenarioMaxMs / 60_000} minutes.`)
    }, scenarioMaxMs)
    const measured = (await scenarios[name]?.(bench)) ?? []
    clearTimeout(hangs)
    const tookSeconds = Math.round((performance.now() - scenarioBeganAtMs) / 1000)
    const notes = [...bench.takeNotes(), ...takeTroubles()]
    const result: Result = { name, depth, takenAt: new Date().toISOString(), tookSeconds, machine, notes, measured }
    if (depth !== 'quick') await writeFile(new URL(`${name}.json`, results), `${JSON.stringify(result, null, 1)}\n`)
    all.push(...measured)
    console.log(`\n${name}, ${tookSeconds} s`)
    printTable(measured)
    for (const note of notes) console.log(`  note: ${note}`)
  }
  printMustHold(all)
  if (depth !== 'quick') await writePage()
  console.log(`\n${Math.round((performance.now() - beganAtMs) / 1000)} s in all`)
} catch (error) {
  // Sockets that are lost when servers stop must not hide it.
  giveUp(error)
} finally {
  await bench.stop()
}
