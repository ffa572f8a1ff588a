// tsx bench/report/profile.ts <file.cpuprofile> [how many]
// Prints where the time of a profile went: by package or folder of ours, alone and with what it calls; and by function.
import { readFile } from 'node:fs/promises'
import type { Profiler } from 'node:inspector'

type Frame = Profiler.ProfileNode['callFrame']

const [file = '', most = '25'] = process.argv.slice(2)
const { nodes, samples = [], timeDeltas = [] } = JSON.parse(await readFile(file, 'utf8')) as Profiler.Profile
const byId = new Map(nodes.map((node) => [node.id, node]))
const parentOf = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)))
const [alone, withCalls, functions] = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()]
let totalUs = 0
for (const [i, id] of samples.entries()) {
  const frame = byId.get(id)?.callFrame
  // `dispatch` is the profiler itself.
  if (!frame || frame.functionName === '(idle)' || (frame.functionName === 'dispatch' && frame.url === '')) continue
  const tookUs = timeDeltas[i] ?? 0
  totalUs += tookUs
  add(alone, placeOf(frame), tookUs)
  for (const place of new Set(stackOf(id).map(placeOf))) add(withCalls, place, tookUs)
  add(functions, `${frame.functionName || '(anonymous)'} ${shortened(frame.url)}:${frame.lineNumber + 1}`, tookUs)
}
console.log(`${file}: ${Math.round(totalUs / 1000)} ms at work`)
print('alone', alone)
print('with what it calls', withCalls)
print('functions', functions)

function stackOf(id: number): Frame[] {
  const frames: Frame[] = []
  for (let each: number | undefined = id; each !== undefined; each = parentOf.get(each)) {
    const frame = byId.get(each)?.callFrame
    if (frame) frames.push(frame)
  }
  return frames
}

function add(sums: Map<string, number>, name: string, tookUs: number): void {
  sums.set(name, (sums.get(name) ?? 0) + tookUs)
}

function print(title: string, sums: ReadonlyMap<string, number>): void {
  console.log(`\n${title}`)
  for (const [name, tookUs] of [...sums].sort(([, a], [, b]) => b - a).slice(0, Number(most))) {
    console.log(`${((100 * tookUs) / totalUs).toFixed(1).padStart(6)}%  ${name}`)
  }
}

/** Returns the package, the folder of ours, or the part of the engine that a frame belongs to. */
function placeOf({ url, functionName }: Frame): string {
  if (url === '') return functionName.startsWith('(') ? functionName : 'native'
  if (url.startsWith('node:')) return url.split('/').slice(0, 2).join('/')
  const [, own] = /parley-test-[^/]+\/([^/]+)/.exec(url) ?? []
  if (own !== undefined) return `ours/${own}`
  const [, packaged] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? []
  return packaged ?? url
}

function shortened(url: string): string {
  return url.replace(/.*parley-test-[^/]+\//, 'ours/').replace(/.*node_modules\//, '')
}
