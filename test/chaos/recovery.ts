import type { Anomaly } from './checks/anomaly.ts'
import { answerOf, type Device, type FaultWindow, type History, type Span, sends } from './checks/history.ts'
import { createTenures } from './checks/tenures.ts'
import { clusterFaults } from './faults/chaos-cluster.ts'

// Measures how soon all devices were current again. A device that was away by its own choice is not counted while it was away.

type Recovery = {
  fault: FaultWindow
  limitMs: number
  /** It took this long from the fault until no device lacked anything that was acknowledged before it, or more than a moment ago. */
  tookMs: number
  /** Whether other faults came before it was over: then the figure is not this fault's alone. */
  disturbed: boolean
}

const killLimitMs = 10_000
const emptiedLimitMs = 15_000
/** A limit has to be exceeded clearly, by this much: the machine has other things to do as well. */
const slackMs = 3000
/** A lost event that no other follows is found when the stream compares, every 30 s. */
const resyncEveryMs = 30_000
const losesEvents: ReadonlySet<string> = new Set(['lose events', 'fail over Redis'])
/** A device that gets a message within this time is current. A device that polls may take one round more. */
const momentMs = 1000
const pollMs = 3000
/** By then every device that a fault has hit has noticed. */
const noticedMs = 3000

export const isKill = ({ kind }: FaultWindow): boolean => kind.startsWith('kill a node')

const isOfCluster = ({ kind }: FaultWindow): boolean => (clusterFaults as readonly string[]).includes(kind)

export function recoveries(history: History): Recovery[] {
  const waits = waitsOf(history).sort((one, other) => one.fromMs - other.fromMs)
  return history.faults.flatMap((fault): Recovery[] => {
    const emptied = fault.emptiedAtMs !== undefined
    const ofCluster = isOfCluster(fault)
    if (!emptied && !ofCluster && !isKill(fault)) return []
    // A cluster that was harmed is whole again when the fault ends.
    const startMs = ofCluster ? fault.toMs : (fault.emptiedAtMs ?? fault.fromMs)
    const limitMs = emptied || ofCluster ? emptiedLimitMs : killLimitMs
    let currentAtMs = startMs
    for (const { fromMs, toMs, polling, unheard } of waits) {
      if (unheard) continue
      const lacking = fromMs <= startMs || toMs - fromMs > (polling ? momentMs + pollMs : momentMs)
      if (lacking && toMs > currentAtMs && fromMs <= Math.max(currentAtMs, startMs + noticedMs)) currentAtMs = toMs
    }
    const judgedUntilMs = Math.min(currentAtMs, startMs + limitMs + slackMs)
    const disturbed = history.faults.some(
      (other) => other !== fault && other.toMs >= startMs && other.fromMs <= judgedUntilMs,
    )
    return [{ fault, limitMs, tookMs: currentAtMs - startMs, disturbed }]
  })
}

export function checkRecovery(history: History): Anomaly[] {
  const slow = recoveries(history)
    .filter(({ tookMs, limitMs, disturbed }) => !disturbed && tookMs > limitMs + slackMs)
    .map(({ fault, tookMs }): Anomaly => {
      const text = `only ${tookMs} ms after "${fault.kind}" every device was current again`
      return { promise: 'recovery', text, atMs: fault.fromMs }
    })
  return [...slow, ...stalls(history)]
}

/** This holds for any number of faults: no device waits that long for a message while nothing is wrong. */
function stalls(history: History): Anomaly[] {
  return waitsOf(history).flatMap(({ client, conversationId, seq, fromMs, toMs, unheard }): Anomaly[] => {
    const limitMs = (unheard ? resyncEveryMs : emptiedLimitMs) + slackMs
    if (toMs - fromMs <= limitMs) return []
    const calmMs = longestCalm(history.faults, fromMs, toMs)
    if (calmMs <= limitMs) return []
    const text = `${client} waited ${toMs - fromMs} ms for a message, ${calmMs} ms of it without any fault`
    return [{ promise: 'recovery', text, atMs: fromMs, conversationId, seq }]
  })
}

type Wait = {
  client: string
  conversationId: string
  seq: number
  fromMs: number
  toMs: number
  polling: boolean
  /** Its event may have been lost without a sign. */
  unheard: boolean
}

/** Measures from each message's acknowledgement, or the device's return if that was later, to its arrival at the device. */
function waitsOf(history: History): Wait[] {
  const tenures = createTenures(history)
  const lossy = history.faults.filter(({ kind }) => losesEvents.has(kind))
  const arrived = new Map<string, number>()
  for (const { client, events } of history.streams) {
    for (const { message, atMs } of events) {
      const key = `${client} ${message.conversationId} ${message.seq}`
      if (!arrived.has(key)) arrived.set(key, atMs)
    }
  }
  const acknowledged = new Map<string, { conversationId: string; seq: number; atMs: number }>()
  for (const call of sends(history)) {
    const { message } = answerOf(call) ?? {}
    if (!message || call.endedAtMs === undefined) continue
    const key = `${message.conversationId} ${message.seq}`
    const earlier = acknowledged.get(key)
    if (earlier && earlier.atMs <= call.endedAtMs) continue
    acknowledged.set(key, { conversationId: message.conversationId, seq: message.seq, atMs: call.endedAtMs })
  }
  return history.devices.flatMap((device) =>
    [...acknowledged.values()].flatMap(({ conversationId, seq, atMs }): Wait[] => {
      const tenure = tenures.last(device.userId, conversationId)
      // A user who came to the group only later gets the message once they are in it.
      if (!tenure || tenure.sinceMs > atMs) return []
      const toMs = arrived.get(`${device.client} ${conversationId} ${seq}`)
      // P4 judges what never came. What was there before the device does not count.
      if (toMs === undefined || toMs <= atMs || atMs < device.sinceMs) return []
      const fromMs = backSince(device, atMs, toMs)
      const polling = (device.polls ?? []).some((span) => overlap(span, fromMs, toMs))
      const unheard = lossy.some((span) => overlap(span, atMs - momentMs, atMs + momentMs))
      return [{ client: device.client, conversationId, seq, fromMs, toMs, polling, unheard }]
    }),
  )
}

const backSince = ({ away }: Device, fromMs: number, toMs: number): number =>
  Math.max(fromMs, ...away.filter((stay) => overlap(stay, fromMs, toMs)).map((stay) => stay.toMs))

const overlap = (span: Span, fromMs: number, toMs: number): boolean => span.fromMs < toMs && span.toMs > fromMs

function longestCalm(faults: readonly FaultWindow[], fromMs: number, toMs: number): number {
  let calmSinceMs = fromMs
  let longest = 0
  for (const fault of faults.toSorted((one, other) => one.fromMs - other.fromMs)) {
    if (fault.toMs <= calmSinceMs || fault.fromMs >= toMs) continue
    longest = Math.max(longest, fault.fromMs - calmSinceMs)
    calmSinceMs = Math.max(calmSinceMs, fault.toMs)
  }
  return Math.max(longest, toMs - calmSinceMs)
}
