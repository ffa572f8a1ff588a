// tsx bench/report/page.ts
// From bench/results/*.json: draws the pictures of docs/performance.md and fills in its table of goals, and writes all figures to
// bench/results/figures.md. `npm run bench` does so at its end.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { cpuPerDelivery } from '../scenarios/fan-out.ts'
import { sendIntoStored } from '../scenarios/history.ts'
import { memoryPerSubscriber } from '../scenarios/idle.ts'
import { overHttpName, perCpuSecond } from '../scenarios/query.ts'
import { cpuPerMessage } from '../scenarios/send.ts'
import { type Measured, ratioOf } from '../sheet.ts'
import { goalText, isMet, oursText, promised, times } from './must-hold.ts'
import { type Chart, drawBars } from './svg.ts'
import { shown } from './table.ts'

/** What one file of bench/results has. */
export type Result = {
  name: string
  depth: string
  takenAt: string
  tookSeconds: number
  machine: { cores: number; model?: string | undefined; node: string; loadBefore: number[] }
  notes: string[]
  measured: Measured[]
}

const results = new URL('../results/', import.meta.url)
const docs = new URL('../../docs/', import.meta.url)

export async function writePage(): Promise<void> {
  const read = await readResults()
  const all = read.flatMap(({ measured }) => measured)
  const pictures = new URL('performance/', docs)
  await mkdir(pictures, { recursive: true })
  const charts = Object.entries(chartsOf(all)).filter(([, { bars }]) => bars.length > 0)
  for (const [name, chart] of charts) await writeFile(new URL(`${name}.svg`, pictures), drawBars(chart))
  const page = new URL('performance.md', docs)
  const text = await readFile(page, 'utf8')
  const filled = Object.entries({
    'must-hold': mustHold(all),
    pictures: charts.map(([name, { title }]) => `![${title}](performance/${name}.svg)`).join('\n\n'),
  })
  await writeFile(
    page,
    filled.reduce((page, [name, part]) => fill(page, name, part), text),
  )
  await writeFile(new URL('figures.md', results), allFigures(read))
}

const allFigures = (read: readonly Result[]): string => `# All figures

Written by bench/report/page.ts from the results beside it. With a load above 0.5 before the run, the figures are for their shape, not to be
quoted; nor where a note says that requests had to be repeated.

${machineOf(read)}

${figuresOf(read)}
`

async function readResults(): Promise<Result[]> {
  const files = (await readdir(results)).filter((name) => name.endsWith('.json')).sort()
  const read = await Promise.all(files.map(async (name) => JSON.parse(await readFile(new URL(name, results), 'utf8'))))
  return (read as Result[]).filter(({ measured }) => measured !== undefined)
}

function chartsOf(all: readonly Measured[]): Record<string, Chart> {
  const of = (what: string) => all.filter((each) => each.what === what)
  const bars = (what: string) =>
    of(what).map(({ who, median }) => ({ label: who, parts: [{ name: who === '' ? '' : what, value: median }] }))
  const split = of(cpuPerMessage).map(({ who, median }) => {
    const part = (name: string, what: string) => ({
      name,
      value: of(what).find((each) => each.who === who)?.median ?? 0,
    })
    const stores = [part('Redis', 'send: Redis CPU per message'), part('DynamoDB', 'send: DynamoDB CPU per message')]
    return { label: who, parts: [{ name: 'server', value: median }, ...stores] }
  })
  return {
    send: { title: 'CPU of one message, from send to double tick', unit: 'ms', bars: split },
    'fan-out': { title: 'CPU per delivery, one message to 1,000', unit: 'µs', bars: bars(cpuPerDelivery) },
    idle: { title: 'Memory per silent subscriber', unit: 'KiB', bars: bars(memoryPerSubscriber) },
    query: {
      title: '20 messages by HTTP: queries per second of server CPU',
      unit: '/s',
      bars: bars(`${overHttpName}: ${perCpuSecond}`),
    },
    growth: { title: 'CPU of a send and its tick, by what is stored', unit: 'ms', bars: bars(sendIntoStored) },
  }
}

function mustHold(all: readonly Measured[]): string {
  const rows = promised(all).map((each) => {
    const met = isMet(each)
    const verdict = met === undefined ? 'not measured' : met ? 'met' : '**not met**'
    return `| ${each.what} | ${times(each.stock)} | ${oursText(each)} | ${goalText(each)} | ${verdict} |`
  })
  return ['| | stock Yoga | ours | goal | |', '|---|---|---|---|---|', ...rows].join('\n')
}

function machineOf(read: readonly Result[]): string {
  const rows = read.map(({ name, depth, takenAt, machine: { cores, model, node, loadBefore } }) => {
    const load = loadBefore[0]?.toFixed(1)
    return `| ${name} | ${depth} | ${takenAt.slice(0, 16).replace('T', ' ')} | ${cores} × ${model}, Node ${node} | ${load} |`
  })
  return ['| scenario | depth | when, UTC | machine | load before |', '|---|---|---|---|---|', ...rows].join('\n')
}

function figuresOf(read: readonly Result[]): string {
  return read
    .map(({ name, measured, notes }) => {
      const rows = measured.map(({ what, who, unit, median, low, high, against }) => {
        const ratio = against === undefined ? undefined : ratioOf(measured, what, who, against)
        const multiple = ratio === undefined ? '' : `${times(ratio)} ${against}`
        return `| ${what} | ${who} | ${shown(median)} ${unit} | ${shown(low)} to ${shown(high)} | ${multiple} |`
      })
      const head = ['| | | median | spread | |', '|---|---|---|---|---|']
      return [
        `## ${name}`,
        '',
        ...head,
        ...rows,
        ...(notes.length > 0 ? ['', ...notes.map((note) => `- ${note}`)] : []),
      ].join('\n')
    })
    .join('\n\n')
}

/** Replaces what stands between `<!-- name -->` and `<!-- /name -->`. */
function fill(page: string, name: string, part: string): string {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const [before, rest] = page.split(begin)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined) throw new Error(`docs/performance.md has no place for ${name}.`)
  return `${before}${begin}\n\n${part}\n\n${end}${after}`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await writePage()
