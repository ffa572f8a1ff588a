import { fork } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { type Bug, bugs, shownElsewhere } from '../test/simulation/bugs/bugs.ts'
import { simulate } from '../test/simulation/simulate.ts'

// A seed stands for a history only as long as the code waits at the same places. When it no longer does, some planted bugs are no
// longer shown by their seeds, and others have to be found.

/** The search for each bug ends at the limit that it reaches first. */
const seedsMax = 20_000
const searchMs = 5 * 60_000

const sources = ['bugs', 'group-bugs', 'hole-bugs', 'device-bugs', 'idle-bugs', 'feed-bugs'].map(
  (name) => `test/simulation/bugs/${name}.ts`,
)
const docs = 'docs/reliability.md'
const tableHead = '| planted bug | caught by seed |\n|---|---|\n'

type Found = { seed: number | undefined }

/** Looks for the bugs on all cores. Writes the seeds that have changed to where they are, and the table of all of them. */
export async function findBugSeeds(): Promise<void> {
  const left = [...bugs]
  const found = new Map<Bug, number>()
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), bugs.length) }, work))
  for (const [bug, seed] of found) await writeDown(bug, seed)
  const elsewhere = (name: string) => (shownElsewhere.has(name) ? `; \`${shownElsewhere.get(name)}\` shows it` : '')
  await writeTable(bugs.map((bug) => ({ name: bug.name, seed: found.get(bug) ?? `none found${elsewhere(bug.name)}` })))
  const unshown = bugs.filter((bug) => !found.has(bug)).map(({ name }) => name)
  console.log(unshown.length === 0 ? 'Each bug has its seed.' : `Not shown by any seed: ${unshown.join('; ')}`)
  process.exitCode = unshown.length === 0 ? 0 : 1

  async function work(): Promise<void> {
    for (let bug = left.shift(); bug; bug = left.shift()) {
      const { seed } = await searchElsewhere(bug)
      if (seed !== bug.seed) console.log(`${bug.name}: ${bug.seed} -> ${seed ?? 'none'}`)
      if (seed !== undefined) found.set(bug, seed)
    }
  }
}

/** Searches in a process of its own, which then exits. */
function searchElsewhere({ name }: Bug): Promise<Found> {
  return new Promise((resolve, reject) => {
    const worker = fork(fileURLToPath(import.meta.url), [name])
    worker.once('message', (found: Found) => resolve(found))
    worker.once('exit', (code) => reject(new Error(`A worker ended with ${code}`)))
  })
}

/** Returns the seed that is written down, if it still shows the bug; otherwise the lowest that does. */
async function search(bug: Bug): Promise<Found> {
  const isShownBy = async (seed: number) => (await simulate(seed, bug)).anomalies.length > 0
  if (await isShownBy(bug.seed)) return { seed: bug.seed }
  const untilMs = performance.now() + searchMs
  for (let seed = 1; seed <= seedsMax && performance.now() < untilMs; seed += 1) {
    if (await isShownBy(seed)) return { seed }
  }
  return { seed: undefined }
}

async function writeDown({ name, seed: before }: Bug, seed: number): Promise<void> {
  const entry = (of: number) => `name: '${name}',\n    seed: ${of},`
  for (const path of sources) {
    const text = await readFile(path, 'utf8')
    if (text.includes(entry(before))) await writeFile(path, text.replace(entry(before), entry(seed)))
  }
}

async function writeTable(rows: readonly { name: string; seed: number | string }[]): Promise<void> {
  const text = await readFile(docs, 'utf8')
  const start = text.indexOf(tableHead) + tableHead.length
  const gap = text.indexOf('\n\n', start)
  const end = gap === -1 ? text.length : gap + 1
  const table = rows.map(({ name, seed }) => `| ${name} | ${seed} |\n`).join('')
  await writeFile(docs, text.slice(0, start) + table + text.slice(end))
}

const [wanted] = process.argv.slice(2)
const bug = process.send && bugs.find(({ name }) => name === wanted)
if (bug) process.send?.(await search(bug))
