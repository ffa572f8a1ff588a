import { answerOf, type FaultWindow, type History, sends } from '../checks/history.ts'

// Tells whether the faults met anything. A run in which no client did anything while a fault was on has shown nothing about it.

type Activity = {
  kind: string
  windows: number
  sends: number
  acknowledged: number
  deliveries: number
  /** This many calls to DynamoDB, or events, met the fault; undefined for other faults. */
  hits: number | undefined
}

/** A fault that is over in a moment has an effect for at least this long. */
const feltMs = 1500
export const enough = { sends: 3, hits: 3, acknowledgedInAll: 50, deliveriesInAll: 100 }

export function activities(history: History): Activity[] {
  const kinds = [...new Set(history.faults.map(({ kind }) => kind))].filter((kind) => kind !== 'final restart')
  const calls = sends(history)
  return kinds.sort().map((kind) => {
    const windows = history.faults.filter((fault) => fault.kind === kind)
    const during = (fromMs: number, toMs = fromMs) => windows.some((window) => overlaps(window, fromMs, toMs))
    const met = calls.filter((call) => during(call.askedAtMs, call.endedAtMs))
    const hits = windows.flatMap((window) => window.hits ?? [])
    return {
      kind,
      windows: windows.length,
      sends: met.length,
      acknowledged: met.filter(answerOf).length,
      deliveries: history.streams.reduce(
        (sum, { events }) => sum + events.filter(({ atMs }) => during(atMs)).length,
        0,
      ),
      hits: hits.length > 0 ? hits.reduce((sum, each) => sum + each, 0) : undefined,
    }
  })
}

/** Returns why the run says too little; the list is empty if it says enough. */
export function shortcomings(history: History): string[] {
  const acknowledged = sends(history).filter(answerOf).length
  const deliveries = history.streams.reduce((sum, { events }) => sum + events.length, 0)
  return [
    ...(acknowledged < enough.acknowledgedInAll ? [`only ${acknowledged} sends were acknowledged in all`] : []),
    ...(deliveries < enough.deliveriesInAll ? [`only ${deliveries} messages were delivered in all`] : []),
    ...(history.faults.length === 0 ? ['there were no faults'] : []),
    ...activities(history).flatMap(({ kind, sends: met, hits }) => [
      ...(met < enough.sends ? [`only ${met} sends met "${kind}"`] : []),
      ...(hits !== undefined && hits < enough.hits ? [`"${kind}" hit only ${hits} calls`] : []),
    ]),
  ]
}

const overlaps = ({ fromMs, toMs }: FaultWindow, from: number, to: number): boolean =>
  from <= Math.max(toMs, fromMs + feltMs) && to >= fromMs
