import type { Anomaly } from './checks/anomaly.ts'
import { type Voids, voidsOf } from './checks/check-voids.ts'
import { type Call, groupCalls, type History, type RuntimeDevice, refusalOf, sends } from './checks/history.ts'
import { createTenures } from './checks/tenures.ts'
import type { DrainFigures } from './drain.ts'
import { clusterFaults } from './faults/chaos-cluster.ts'
import { activities, enough } from './people/activity.ts'
import { contextOf } from './people/context.ts'
import { isKill, recoveries } from './recovery.ts'

type Verdict = 'valid' | 'invalid' | 'unknown'

export type Result = {
  verdict: Verdict
  history: History
  anomalies: Anomaly[]
  /** This says why the verdict is unknown, if it is. */
  shortcomings: string[]
  figures: DrainFigures & { leftOut: number; failedStarts: number }
  /** The record of the run is here, if it was kept. */
  record?: string
}

const anomaliesShown = 5

export function report(
  { verdict, history, anomalies, shortcomings, figures, record }: Result,
  command: string,
): string[] {
  const exits = history.faults.flatMap(({ exit }) => exit ?? [])
  return [
    '',
    'Operations            asked  answered  refused  lost',
    ...tally(history.calls).map(([kind, ...counts]) => `  ${pad(kind, 18)} ${counts.map((n) => lpad(n, 8)).join(' ')}`),
    `  messages streamed: ${history.streams.reduce((sum, { events }) => sum + events.length, 0)} over ${history.streams.length} subscriptions; ` +
      `boundaries streamed: ${history.tickStreams.reduce((sum, { events }) => sum + events.length, 0)} over ${history.tickStreams.length}; ` +
      `typing streamed: ${history.typingStreams.reduce((sum, { events }) => sum + events.length, 0)} over ${history.typingStreams.length}`,
    ...voidLines(history),
    ...groupLines(history),
    ...runtimeLines(history),
    '',
    'Faults               windows   sends  acked  deliveries  calls hit',
    ...activities(history).map(
      ({ kind, windows, sends, acknowledged, deliveries, hits }) =>
        `  ${pad(kind, 18)} ${lpad(windows, 7)} ${lpad(sends, 7)} ${lpad(acknowledged, 6)} ${lpad(deliveries, 11)} ${lpad(hits ?? '', 10)}`,
    ),
    `  left out, as there was nothing to harm: ${figures.leftOut}; starts that failed and were repeated: ${figures.failedStarts}`,
    `  exits after SIGTERM: ${exits.length}, code 0: ${exits.filter(({ code }) => code === 0).length}, slowest ${Math.max(0, ...exits.map(({ tookMs }) => tookMs))} ms`,
    '',
    'Recovery: until every device had what was acknowledged before',
    ...['kill a node', 'kill a node in a write', 'flush Redis', 'restart Redis', ...clusterFaults].flatMap((kind) =>
      recoveryLine(history, kind),
    ),
    `  after the last fault: all acknowledged in ${figures.acknowledgedMs} ms, all devices current ${figures.settledMs} ms later;`,
    `  after a restart of all nodes, with new devices: ${figures.restartedMs} ms`,
    '',
    ...anomalyLines(history, anomalies),
    ...shortcomings.map((each) => `Too little: ${each}.`),
    ...(shortcomings.length > 0
      ? [
          `Enough would be: per fault ${enough.sends} sends and ${enough.hits} calls hit; in all ${enough.acknowledgedInAll} acknowledged, ${enough.deliveriesInAll} delivered.`,
        ]
      : []),
    `Verdict: ${verdict}. ${anomalies.length} anomalies. To repeat the plan (real timing never repeats): ${command}`,
    ...(record === undefined ? [] : [`The record (history, faults, tables, the nodes' logs) is kept in ${record}`]),
  ]
}

function voidLines(history: History): string[] {
  const all = voidsOf(history)
  const sum = (of: (each: Voids) => number) => all.reduce((total, each) => total + of(each), 0)
  const kills = history.faults.filter(isKill).length
  const failed = history.calls.filter(
    ({ kind, outcome }) => writes.has(kind) && !(outcome && 'answer' in outcome),
  ).length
  return [
    `  numbers voided: ${sum(({ voids }) => voids)}, of at most ${sum(({ mayBe }) => mayBe)} that may have been left; nodes killed ${kills}, writing calls that failed ${failed}`,
  ]
}

const writes: ReadonlySet<string> = new Set(['send', 'change', 'group'])

function groupLines(history: History): string[] {
  const groups = history.tables.filter(({ group }) => group)
  const rows = groups.flatMap((table) => table.rows)
  const changes = history.tables.flatMap((table) => table.rows.filter(({ kind }) => kind === 'change'))
  const tenures = createTenures(history)
  const effective = groups.reduce((sum, { conversationId }) => sum + tenures.versions(conversationId).length - 1, 0)
  const turnedAway = history.calls.filter((call) => refusalOf(call)?.code === 'NOT_FOUND').length
  const streamed = history.changeStreams.reduce((sum, { events }) => sum + events.length, 0)
  const types = groupCalls(history).flatMap(({ ask, outcome }) =>
    outcome && 'answer' in outcome && ask.request.type !== 'look' ? [ask.request.type] : [],
  )
  return [
    `  groups: ${groups.length}, with ${rows.filter(({ kind }) => kind === 'message').length} messages; answered: ${countsOf(types)}; changes that took effect ${effective}, ` +
      `that never did ${rows.filter(({ kind }) => kind === 'group').length - effective}; turned away ${turnedAway} times;`,
    `  messages were changed: ${countsOf(changes.flatMap((row) => (row.kind === 'change' ? [row.alteration.type] : [])))}; ` +
      `changes streamed: ${streamed} over ${history.changeStreams.length} subscriptions`,
  ]
}

/** Returns a text such as "a 3, b 1". */
function countsOf(all: readonly string[]): string {
  const kinds = [...new Set(all)].sort()
  return kinds.map((kind) => `${kind} ${all.filter((each) => each === kind).length}`).join(', ') || 'none'
}

function runtimeLines(history: History): string[] {
  const { runtimes } = history
  if (runtimes.length === 0) return []
  const names = new Set(runtimes.map(({ client }) => client))
  const streams = history.streams.filter(({ client }) => names.has(client))
  const told = streams.flatMap(({ client, events }) => events.map(({ message }) => `${client} ${message.id}`))
  const accepted = sends(history).filter(({ ask }) => ask.via === 'runtime')
  const vanished = accepted.filter(({ outcome }) => outcome && 'lost' in outcome)
  const count = <T>(of: (runtime: RuntimeDevice) => T[]) => runtimes.reduce((sum, each) => sum + of(each).length, 0)
  const ended = (end: string) => count(({ lives }) => lives.slice(0, -1).filter((life) => life.end === end))
  const links = (via: string) => count((each) => each.links.filter((link) => link.via === via))
  return [
    `  devices with the client runtime: ${runtimes.length}, closed and started again ${ended('closed')} times, killed ${ended('killed')}; ` +
      `links by WebSocket ${links('websocket')}, SSE ${links('sse')}, polling ${links('polling')};`,
    `    told ${told.length}, of these again after a kill ${told.length - new Set(told).size}; sent ${accepted.length}, of these killed before kept ${vanished.length}; ` +
      `ticks shown ${count((each) => each.ticks)}; setbacks ${countsOf(runtimes.flatMap(({ setbacks = [] }) => setbacks.map(({ code }) => code)))}`,
  ]
}

function recoveryLine(history: History, kind: string): string[] {
  const all = recoveries(history).filter(({ fault }) => fault.kind === kind)
  if (all.length === 0) return []
  const figure = (some: typeof all) =>
    some.length === 0 ? 'none' : `${some.length}, slowest ${Math.max(...some.map(({ tookMs }) => tookMs))} ms`
  const alone = figure(all.filter(({ disturbed }) => !disturbed))
  const disturbed = figure(all.filter((each) => each.disturbed))
  return [`  ${pad(kind, 18)} alone: ${alone}; among other faults: ${disturbed} (limit ${all[0]?.limitMs} ms)`]
}

function anomalyLines(history: History, anomalies: readonly Anomaly[]): string[] {
  const lines = anomalies.slice(0, anomaliesShown).flatMap((anomaly) => {
    const { promise, text, atMs, conversationId, seq, clientMessageId } = anomaly
    const about = [conversationId, seq && `#${seq}`, clientMessageId].filter(Boolean).join(' ')
    return [
      `${promise} broken${atMs === undefined ? '' : ` at ${atMs} ms`}: ${text}`,
      `  ${about}`,
      ...contextOf(history, anomaly),
      '',
    ]
  })
  const promises = [...new Set(anomalies.map(({ promise }) => promise))]
  const countOf = (promise: string) => anomalies.filter((anomaly) => anomaly.promise === promise).length
  return [...lines, ...promises.map((promise) => `Anomalies of ${promise}: ${countOf(promise)}`)]
}

function tally(calls: readonly Call[]): [string, number, number, number, number][] {
  return [...new Set(calls.map(({ kind }) => kind))].map((kind) => {
    const some = calls.filter((call) => call.kind === kind)
    return [
      kind,
      some.length,
      some.filter(({ outcome }) => outcome && 'answer' in outcome).length,
      some.filter(({ outcome }) => outcome && 'refused' in outcome).length,
      some.filter(({ outcome }) => !outcome || 'lost' in outcome).length,
    ]
  })
}

const pad = (value: unknown, width: number): string => String(value).padEnd(width)
const lpad = (value: unknown, width: number): string => String(value).padStart(width)
