import { readFileSync } from 'node:fs'
import { readConstants, resultsFolder, type Sourced, valuesOf } from './constants.ts'
import { makePlan } from './plan.ts'
import { defaultPrices } from './prices.ts'
import { amount, constantsTable, planTable } from './print.ts'
import { outcomesTable, referenceLoads, simulateAll } from './reference.ts'

// The tables of docs/scaling.md. `npm run sizing -- --write` puts them there, and a test compares.

export function tablesOfPage(constants: readonly Sourced[] = readConstants()): Record<string, string> {
  const of = valuesOf(constants)
  return {
    plan: planTable(referenceLoads.map((load) => makePlan(load, of, defaultPrices))),
    constants: constantsTable(constants),
    simulation: outcomesTable(simulateAll(of)),
    hot: hotTable(),
    growth: growthTables(),
  }
}

/** Between `<!-- name -->` and `<!-- /name -->`. */
export function filled(page: string, tables: Record<string, string>): string {
  return Object.entries(tables).reduce((text, [name, table]) => {
    const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
    const [from, to] = [text.indexOf(begin), text.indexOf(end)]
    if (from < 0 || to < from) throw new Error(`The page has no place for ${name}.`)
    return `${text.slice(0, from + begin.length)}\n\n${table}\n\n${text.slice(to)}`
  }, page)
}

type Result = { measured: { what: string; who: string; unit: string; median: number }[] }
const growthRows: readonly (readonly [string, string])[] = [
  ['a direct message to its double tick', 'scaling: a direct message to its double tick'],
  ['an attach, one stream of messages', 'scaling: an attach, one stream of messages'],
  ['an attach, as the client does it', 'scaling: an attach, as the client does it'],
  ['the same, 100 at once', 'scaling: a reconnect in a storm, as the client does it'],
]
const spent = [
  'CPU of the nodes',
  'commands of Redis, those of scripts too',
  'bytes to and from Redis',
  'DynamoDB write units',
  'DynamoDB read units',
]

const measuredIn = (name: string): Result['measured'] =>
  (JSON.parse(readFileSync(new URL(`${name}.json`, resultsFolder), 'utf8')) as Result).measured

function hotTable(): string {
  const measured = measuredIn('hot-conversation')
  const whos = [...new Set(measured.map(({ who }) => who))]
  const whats = [...new Set(measured.map(({ what }) => what))]
  const rows = whats.map((what) => {
    const figures = whos.map((who) => measured.find((each) => each.what === what && each.who === who))
    const cells = figures.map((figure) => (figure ? `${amount(figure.median)} ${figure.unit}`.trim() : '–'))
    return `| ${what.replace('hot conversation: ', '')} | ${cells.join(' | ')} |`
  })
  return [`| offered: | ${whos.join(' | ')} |`, `|---|${whos.map(() => '---|').join('')}`, ...rows].join('\n')
}

function growthTables(): string {
  const measured = [...measuredIn('scaling'), ...measuredIn('scaling-groups')]
  const cell = (what: string, who: string) => {
    const found = measured.find((each) => each.what === what && each.who === who)
    return found ? amount(found.median) : '–'
  }
  const fleets = ['1 node', '2 nodes', '4 nodes']
  const sums = (what: string, who: string) => spent.map((each) => cell(`${what}: ${each}`, who)).join(' | ')
  const head = (first: string) => [
    `| ${first} | nodes | CPU of nodes, ms | Redis commands | Redis bytes | write units | read units |`,
    '|---|---|---|---|---|---|---|',
  ]
  const each = growthRows.flatMap(([name, what]) => fleets.map((who) => `| ${name} | ${who} | ${sums(what, who)} |`))
  const groups = ['deliveries alone', 'with an ack of each member'].flatMap((how) =>
    [2, 10, 100, 1000].flatMap((members) =>
      fleets.map((who) => {
        const name = `${members.toLocaleString('en')} members`
        return `| ${name}, ${how} | ${who} | ${sums(`scaling: a message to a group, ${how}`, `${name}, ${who}`)} |`
      }),
    ),
  )
  const idle = ['one stream of messages', 'the streams of the client'].flatMap((streams) =>
    fleets.map((who) => {
      const what = `scaling: 1,000 idle people, ${streams}`
      const cells = [
        'CPU of the nodes',
        'CPU of Redis',
        'commands of Redis a second',
        'DynamoDB read units a second',
      ].map((of) => cell(`${what}: ${of}`, who))
      return `| ${streams} | ${who} | ${cells.join(' | ')} |`
    }),
  )
  return [
    ...head('one'),
    ...each,
    '',
    ...head('one message to a group'),
    ...groups,
    '',
    '| 1,000 idle people | nodes | CPU of nodes, % | CPU of Redis, % | Redis commands a second | read units a second |',
    '|---|---|---|---|---|---|',
    ...idle,
  ].join('\n')
}
