// npm run chaos -- --seconds 60 --seed 7
// npm run chaos -- --seconds 60 --seed 7 --embedded    one node that keeps everything in a directory
// npm run chaos -- --seconds 60 --seed 7 --cluster     Redis is a cluster of three masters with replicas
// Exit code 0: valid. 1: invalid. 2: unknown, too little happened while a fault was on. 64, 70, 130: there was no verdict.

import { parseArgs } from 'node:util'
import { report } from '../test/chaos/report.ts'
import { repeatCommand, runChaos } from '../test/chaos/run.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    nodes: { type: 'string', default: '3' },
    embedded: { type: 'boolean', default: false },
    cluster: { type: 'boolean', default: false },
    'keep-logs': { type: 'string' },
  },
})
const seconds = Number(values.seconds)
const seed = Number(values.seed)
const nodes = Number(values.nodes)
const { embedded, cluster } = values
if (!(seconds >= 5 && Number.isInteger(seed) && Number.isInteger(nodes) && nodes >= 1)) {
  console.error(
    'Usage: npm run chaos -- [--seconds 60] [--seed 7] [--nodes 3 | --embedded] [--cluster] [--keep-logs DIRECTORY]',
  )
  process.exit(64)
}

const ending = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort())

const result = await runChaos({
  seconds,
  seed,
  nodes,
  embedded,
  cluster,
  ...(values['keep-logs'] && { logDirectory: values['keep-logs'] }),
  onProgress: (line) => console.log(line),
  signal: ending.signal,
}).catch((error) => {
  const { aborted } = ending.signal
  console.error(aborted ? error.message : error)
  process.exit(aborted ? 130 : 70)
})
for (const line of report(result, repeatCommand({ seconds, seed, nodes, embedded, cluster }))) console.log(line)
process.exit({ valid: 0, invalid: 1, unknown: 2 }[result.verdict])
