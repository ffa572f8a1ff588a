import type { Sourced } from './constants.ts'
import type { Plan } from './plan.ts'

// The plan as a table of Markdown, which reads well in a terminal and can be put into docs as it is.

type Row = { what: string; of: (plan: Plan) => string }

const rows: readonly Row[] = [
  { what: 'connected users', of: ({ load }) => whole(load.users) },
  { what: 'messages a second, busiest minute', of: ({ messages }) => whole(messages.peak) },
  { what: 'deliveries a second', of: ({ messages }) => whole(messages.deliveriesPerSecond) },
  { what: '**nodes** of one core', of: ({ nodes }) => whole(nodes.nodes) },
  {
    what: 'nodes by CPU, by sockets',
    of: ({ nodes }) => `${whole(nodes.nodesForCpu)}, ${whole(nodes.nodesForSockets)}`,
  },
  { what: 'cores that are busy', of: ({ nodes }) => amount(nodes.cores) },
  { what: 'memory of a node, one zone lost', of: ({ nodes }) => bytes(nodes.memoryBytes) },
  { what: 'all are back after a lost zone', of: ({ nodes }) => `${whole(nodes.backAfterSeconds)} s` },
  { what: '**Redis masters**, a replica each', of: ({ redis }) => whole(redis.masters) },
  {
    what: 'masters by CPU, by memory',
    of: ({ redis }) => `${amount(redis.mastersForCpu)}, ${amount(redis.mastersForMemory)}`,
  },
  { what: 'memory of Redis in sum', of: ({ redis }) => bytes(redis.bytes) },
  {
    what: 'at each master: connections, share of its core that goes by the clock',
    of: ({ redis }) => `${whole(redis.connections)}, ${amount(100 * redis.clockShare)} %`,
  },
  { what: '**DynamoDB** write units a second', of: ({ dynamo }) => whole(dynamo.writeUnits) },
  { what: 'DynamoDB read units a second', of: ({ dynamo }) => whole(dynamo.readUnits) },
  { what: 'write units per message', of: ({ dynamo }) => amount(dynamo.unitsPerMessage) },
  { what: 'stored per message, as billed', of: ({ dynamo }) => `${whole(dynamo.storedPerMessage)} bytes` },
  { what: 'stored in sum', of: ({ dynamo }) => bytes(dynamo.storedBytes) },
  {
    what: '**network** to clients, busiest minute',
    of: ({ network }) => `${amount((network.outBytesPerSecond * 8) / 1e9)} Gbit/s`,
  },
  { what: '**a month**: nodes', of: ({ monthly }) => money(monthly.nodes) },
  { what: 'Redis', of: ({ monthly }) => money(monthly.redis) },
  { what: 'DynamoDB writes', of: ({ monthly }) => money(monthly.writes) },
  { what: 'DynamoDB reads', of: ({ monthly }) => money(monthly.reads) },
  { what: 'DynamoDB storage and its backup', of: ({ monthly }) => money(monthly.storage) },
  { what: 'network', of: ({ monthly }) => money(monthly.network) },
  { what: '**in sum**', of: ({ total }) => `**${money(total)}**` },
]

export function planTable(plans: readonly Plan[]): string {
  const head = [`| |${plans.map(() => ' |').join('')}`, `|---|${plans.map(() => '---|').join('')}`]
  return [...head, ...rows.map(({ what, of }) => `| ${what} |${plans.map((plan) => ` ${of(plan)} |`).join('')}`)].join(
    '\n',
  )
}

export function constantsTable(constants: readonly Sourced[]): string {
  const lines = constants.map(({ means, value, unit, source }) => `| ${means} | ${amount(value)} ${unit} | ${source} |`)
  return ['| constant | | from |', '|---|---|---|', ...lines].join('\n')
}

export const whole = (value: number): string => Math.max(0, Math.ceil(value - 1e-9)).toLocaleString('en')

export const amount = (value: number): string =>
  value >= 100 || Number.isInteger(value)
    ? Math.round(value).toLocaleString('en')
    : String(Number(value.toPrecision(2)))

const money = (value: number): string => `$${Number(value.toPrecision(3)).toLocaleString('en')}`

function bytes(value: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB', 'PB']
  const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, value)) / 3)))
  return `${amount(value / 1000 ** step)} ${units[step]}`
}
