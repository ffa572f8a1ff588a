// npm run simulate -- --seeds 10000       that many seeds, on all cores
// npm run simulate -- --seed 42           one seed, with its whole history
// npm run simulate -- --find-bugs         a seed for each planted bug that its own no longer shows; rewrites them and the docs
//   --from N     begin at this seed       --bug NAME   with a planted bug (test/simulation/bugs/bugs.ts)
import { fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { bugs, type Change, withoutPeriodicResync } from '../test/simulation/bugs/bugs.ts'
import { withFeed } from '../test/simulation/feed.ts'
import { withNotices } from '../test/simulation/notices.ts'
import { simulate } from '../test/simulation/simulate.ts'
import { findBugSeeds } from './find-bug-seeds.ts'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    seed: { type: 'string' },
    from: { type: 'string', default: '1' },
    bug: { type: 'string' },
    every: { type: 'string' },
    'find-bugs': { type: 'boolean', default: false },
  },
})
const bug = findBug(values.bug)
/** A seed makes much garbage and keeps nothing. With room for it, a run takes about a tenth less. */
const execArgv = [...process.execArgv, '--max-semi-space-size=64']

if (values['find-bugs']) await findBugSeeds()
else if (values.seed) await replay(Number(values.seed))
else if (values.every) await runEvery(Number(values.from), Number(values.seeds), Number(values.every))
else await runAll(Number(values.from), Number(values.seeds))

async function replay(seed: number): Promise<void> {
  const { anomalies, steps, lines } = await simulate(seed, bug)
  for (const line of lines()) console.log(line)
  console.log(`\nseed ${seed}, ${steps} steps: ${anomalies.length === 0 ? 'no anomaly' : ''}`)
  for (const { promise, what } of anomalies) console.log(`  ${promise}  ${what}`)
  process.exitCode = anomalies.length === 0 ? 0 : 1
}

/** Runs the share of one worker, which is every n-th seed. It tells its parent of what it finds. */
async function runEvery(from: number, count: number, every: number): Promise<void> {
  for (let seed = from; seed < from + count; seed += every) {
    const { anomalies, steps } = await simulate(seed, bug)
    process.send?.({ seed, steps, anomalies })
  }
}

/** Prints what a seed has found at once, so that a long run that is cut short has named it. */
function printFailed({ seed, anomalies }: Report): void {
  console.log(`seed ${seed}: ${anomalies[0]?.promise} ${anomalies[0]?.what}`)
  console.log(`  replay: npm run simulate -- --seed ${seed}${bug ? ` --bug '${bug.name}'` : ''}`)
}

type Report = { seed: number; steps: number; anomalies: { promise: string; what: string }[] }

async function runAll(from: number, count: number): Promise<void> {
  const workers = Math.min(availableParallelism(), count)
  const failed: Report[] = []
  let [done, steps] = [0, 0]
  await Promise.all(
    Array.from(
      { length: workers },
      (_, i) =>
        new Promise<void>((resolve, reject) => {
          const share = ['--from', `${from + i}`, '--seeds', `${count - i}`, '--every', `${workers}`]
          const args = [...share, ...(bug ? ['--bug', bug.name] : [])]
          const worker = fork(fileURLToPath(import.meta.url), args, { execArgv })
          worker.on('message', (report: Report) => {
            done += 1
            steps += report.steps
            if (report.anomalies.length > 0) {
              failed.push(report)
              printFailed(report)
            }
            if (done % 5000 === 0) console.log(`${done} seeds, ${failed.length} with anomalies`)
          })
          worker.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`A worker ended with ${code}`))))
        }),
    ),
  )
  console.log(`${done} seeds, ${steps} steps, ${failed.length} with anomalies`)
  process.exitCode = failed.length === 0 ? 0 : 1
}

function findBug(name: string | undefined): Change | undefined {
  if (name === undefined) return undefined
  const found = [...bugs, withoutPeriodicResync, withNotices, withFeed].find((each) => each.name === name)
  if (!found) throw new Error(`There is no such bug. There are: ${bugs.map((each) => each.name).join('; ')}`)
  return found
}
