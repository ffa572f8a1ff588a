// npm run soak -- --minutes 60 --rate 50
// Load for a long time, to see whether memory stays flat. Prints one table and writes bench/results/soak.json.
// Exit code 0: flat within 10 %, and no error that was not expected. 1: one of the two. 64, 130: there was no verdict.

import { mkdir, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { soak } from '../test/soak/run.ts'
import type { Drift } from '../test/soak/verdict.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    rate: { type: 'string', default: '50' },
    nodes: { type: 'string', default: '2' },
    people: { type: 'string', default: '40' },
    snapshots: { type: 'string' },
    out: { type: 'string' },
  },
})
const [minutes, rate, nodes, people] = [values.minutes, values.rate, values.nodes, values.people].map(Number) as [
  number,
  number,
  number,
  number,
]
if (!(minutes > 0 && rate > 0 && nodes >= 1 && people >= 8)) {
  console.error(
    'Usage: npm run soak -- [--minutes 60] [--rate 50] [--nodes 2] [--people 40] [--snapshots DIRECTORY] [--out FILE]',
  )
  process.exit(64)
}
const ending = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort())

const { samples, ...result } = await soak({
  minutes,
  rate,
  nodes,
  people,
  random: Math.random,
  signal: ending.signal,
  onProgress: (line) => console.log(line),
  ...(values.snapshots && { snapshots: values.snapshots }),
})

console.log(`\n${(result.lengthMs / 60_000).toFixed(1)} minutes, ${result.deeds} deeds, ${result.leftOut} left out`)
for (const drift of result.drifts) console.log(rowOf(drift))
console.log(
  `  a send took ${result.sendMs.p50.toFixed(1)} ms, ${result.sendMs.p99.toFixed(1)} ms at the 99th percentile`,
)
console.log(`  share of a core, by node: ${result.cpuShare.map((share) => share.toFixed(2)).join(', ')}`)
console.log(
  `  Redis: ${(result.redisBytes.first / 2 ** 20).toFixed(1)} MB, then ${(result.redisBytes.last / 2 ** 20).toFixed(1)} MB`,
)
for (const [what, count] of Object.entries(result.unexpected)) console.log(`  unexpected: ${count} × ${what}`)
for (const line of result.complaints) console.log(`  logged: ${line}`)
console.log(ending.signal.aborted ? 'Ended early.' : result.ok ? 'Flat, and as expected.' : 'NOT as it must be.')

const out = values.out ?? new URL('../bench/results/soak.json', import.meta.url)
if (typeof out !== 'string') await mkdir(new URL('.', out), { recursive: true })
// A sample a minute tells the story; a sample every ten seconds would make a file too long to read.
const kept = samples.filter(
  ({ atMs }, i) => i < nodes || Math.floor(atMs / 60_000) > Math.floor((samples[i - nodes]?.atMs ?? 0) / 60_000),
)
await writeFile(out, `${JSON.stringify({ minutes, rate, nodes, people, ...result, samples: kept }, null, 2)}\n`)
process.exit(ending.signal.aborted ? 130 : result.ok ? 0 : 1)

function rowOf({ node, measure, before, after, ratio, flat }: Drift): string {
  const show = (value: number) => (measure === 'handles' ? String(value) : `${(value / 2 ** 20).toFixed(1)} MB`)
  const change = `${ratio >= 1 ? '+' : ''}${((ratio - 1) * 100).toFixed(1)} %`
  return `  node ${node}  ${measure.padEnd(9)} ${show(before).padStart(9)} → ${show(after).padStart(9)}  ${change.padStart(8)}${flat ? '' : '  NOT FLAT'}`
}
