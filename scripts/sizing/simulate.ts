import { backoffMs } from '../../packages/client/src/shared/backoff.ts'
import type { Constants } from './constants.ts'
import { seeded } from './random.ts'
import { createNode, type Job, type Node } from './simulated-node.ts'

// A fleet in steps of a tenth of a second: devices that come back, messages that come all the time, and one thing that goes wrong after ten seconds. It
// shows how long lines get and when they are empty again. It is no measurement: the cost of each job is, and the rest is the rules of the code.
//
// From the code: the pauses of the client (its own function), 32 streams that begin at a time on a node and a line of 50,000, 128 calls to DynamoDB at a time
// and a line of 20,000, beyond which the call fails and the client tries again.
// Assumed: what costs CPU is in proportion to the calls of a job; the balancer takes any node that is there; DynamoDB answers in 5 ms.

export const events = {
  nothing: 'nothing goes wrong',
  node: 'a node is lost',
  zone: 'a zone is lost, a third of the nodes',
  storm: 'all connections are lost at once, no node is',
  partition: 'for 30 s, a partition of DynamoDB with 1 % of the messages answers in 2 s',
} as const
export type EventName = keyof typeof events

export type Run = {
  event: EventName
  nodes: number
  devicesPerNode: number
  messagesPerSecond: number
  /** The share of each core that goes to deliveries, receipts and people who do nothing. Nodes that are left take over that of lost ones. */
  busyShare: number
  seconds: number
  seed: number
}

export const tickMs = 100
const eventAtMs = 10_000
const partitionForMs = 30_000
const slowShare = 0.01
const slowMs = 2000
const usualMs = 5
const callsOf = { send: 3, stream: 4, list: 8 }

export type Outcome = ReturnType<typeof simulateFleet>

export function simulateFleet(
  { event, nodes: count, devicesPerNode, messagesPerSecond, busyShare, seconds, seed }: Run,
  of: Constants,
) {
  const random = seeded(seed)
  const devices = count * devicesPerNode
  const cpuMs = {
    send: of.directCpuMs / callsOf.send,
    stream: of.attachStreamCpuMs / callsOf.stream,
    list: Math.max(0, of.attachCpuMs - of.attachStreamCpuMs) / callsOf.list,
  }
  const nodes = Array.from({ length: count }, () => createNode(cpuMs))
  let up: readonly Node[] = nodes
  const nodeOf = Int32Array.from({ length: devices }, (_, i) => i % count)
  const failures = new Uint8Array(devices)
  const partsLeft = new Uint8Array(devices)
  const attempt = new Uint32Array(devices)
  const due = new Map<number, Job[]>()
  const sendMs: number[] = []
  let [away, maxAway, refusedSends, refusedAttaches, callLine, streamLine, backAtMs, laterSends] = [
    0, 0, 0, 0, 0, 0, 0, 0,
  ]

  const at = (nowMs: number, waitMs: number, job: Job): void => {
    const tick = Math.ceil((nowMs + waitMs) / tickMs)
    const jobs = due.get(tick)
    if (jobs) jobs.push(job)
    else due.set(tick, [job])
  }
  const lose = (device: number, nowMs: number): void => {
    if (nodeOf[device] !== -1 && partsLeft[device] === 0) away += 1
    nodeOf[device] = -1
    partsLeft[device] = 0
    attempt[device] = (attempt[device] ?? 0) + 1
    failures[device] = Math.min(20, (failures[device] ?? 0) + 1)
    at(nowMs, backoffMs(failures[device] ?? 1, random), { kind: 'open', device, bornMs: nowMs })
  }
  const anyNode = (): Node => {
    return up[Math.floor(random() * up.length)] as Node
  }

  function open(device: number, nowMs: number): void {
    const node = anyNode()
    nodeOf[device] = nodes.indexOf(node)
    partsLeft[device] = 2
    const job = (kind: 'stream' | 'list'): Job => ({
      kind,
      device,
      attempt: attempt[device] ?? 0,
      calls: callsOf[kind],
      bornMs: nowMs,
    })
    if (node.addStream(job('stream')) && node.add(job('list'))) return
    refusedAttaches += 1
    lose(device, nowMs)
  }

  function send(job: Job, nowMs: number): void {
    if (anyNode().add({ ...job, kind: 'send', calls: callsOf.send })) return
    refusedSends += 1
    const again = (job.failures ?? 0) + 1
    at(nowMs, backoffMs(again, random), { ...job, kind: 'send', failures: again })
  }

  function finished(job: Job, nowMs: number): void {
    if (job.kind === 'send') {
      const tookMs = nowMs - job.bornMs
      sendMs.push(tookMs)
      if (tookMs > 5000) laterSends += 1
      return
    }
    const device = job.device ?? 0
    // The device has given up meanwhile, and its work was for nothing.
    if (job.attempt !== attempt[device]) return
    partsLeft[device] = (partsLeft[device] ?? 1) - 1
    if (partsLeft[device] !== 0) return
    failures[device] = 0
    away -= 1
    if (away === 0) backAtMs = nowMs
  }

  for (let nowMs = 0; nowMs < seconds * 1000; nowMs += tickMs) {
    if (nowMs === eventAtMs) {
      const lost = event === 'zone' ? Math.ceil(count / 3) : event === 'node' ? 1 : 0
      up = nodes.slice(lost)
      for (const node of nodes.slice(0, lost)) node.die()
      for (let device = 0; device < devices; device += 1)
        if (event === 'storm' || (nodeOf[device] ?? 0) < lost) lose(device, nowMs)
    }
    const isSlow = event === 'partition' && nowMs >= eventAtMs && nowMs < eventAtMs + partitionForMs
    const tick = nowMs / tickMs
    for (const job of due.get(tick) ?? []) job.kind === 'open' ? open(job.device ?? 0, nowMs) : send(job, nowMs)
    due.delete(tick)
    for (let left = arrivals((messagesPerSecond * tickMs) / 1000, random); left > 0; left -= 1)
      send({ kind: 'send', bornMs: nowMs, ...(isSlow && random() < slowShare && { callMs: slowMs }) }, nowMs)
    const forMs = tickMs * Math.max(0.05, 1 - (busyShare * count) / up.length)
    for (const node of nodes) for (const job of node.work(tickMs, forMs, usualMs)) finished(job, nowMs + tickMs)
    maxAway = Math.max(maxAway, away)
    callLine = Math.max(callLine, ...nodes.map((node) => node.callLine()))
    streamLine = Math.max(streamLine, ...nodes.map((node) => node.streamLine()))
  }
  sendMs.sort((a, b) => a - b)
  return {
    event,
    maxAway,
    /** Seconds after the event until all devices were back; undefined if not all are. */
    allBackS: away > 0 ? undefined : Math.max(0, backAtMs - eventAtMs) / 1000,
    callLine,
    streamLine,
    refusedSends,
    refusedAttaches,
    sends: sendMs.length,
    sendP99Ms: sendMs[Math.floor(sendMs.length * 0.99)] ?? 0,
    laterSends,
    leftInLines: nodes.reduce((sum, node) => sum + node.callLine() + node.streamLine(), 0),
  }
}

/** Poisson, for a mean that is not large. */
function arrivals(mean: number, random: () => number): number {
  let [count, left] = [0, random()]
  for (let term = Math.exp(-mean), k = 0; left > term && k < 10 * mean + 50; k += 1, term *= mean / k) {
    left -= term
    count += 1
  }
  return count
}
