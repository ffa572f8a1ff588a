import { setTimeout as sleep } from 'node:timers/promises'
import type { Subject } from '../bench.ts'
import { openPair, type Pair } from './pairs.ts'

// 32 pairs of people on one server.

const pairsCount = 32

export type Crew = Awaited<ReturnType<typeof openCrew>>

type Watched = { pair: Pair; sentAtMs: number[]; ticked: () => void; delivered: () => void }

async function openOne(subject: Subject, name: string, receiverPort: number): Promise<Watched> {
  const watched: Omit<Watched, 'pair'> = { sentAtMs: [], ticked: () => undefined, delivered: () => undefined }
  const events = { delivered: () => watched.delivered(), ticked: () => watched.ticked() }
  return Object.assign(watched, { pair: await openPair(subject, name, events, receiverPort) })
}

/** Those who receive may be at another node. */
export async function openCrew(subject: Subject, name: string, receiverPort = subject.port) {
  const pairs = await Promise.all(
    Array.from({ length: pairsCount }, (_, i) =>
      openOne(subject, `${name.replaceAll(/\W+/g, '-')}-${i}`, receiverPort),
    ),
  )

  /** Each pair sends the next when it has seen the tick of the last. Returns how many. */
  async function asFastAsPossible(ms: number, least = 0): Promise<number> {
    const endAtMs = performance.now() + ms
    let count = 0
    await Promise.all(
      pairs.map(
        (each) =>
          new Promise<void>((resolve) => {
            each.delivered = () => undefined
            each.ticked = () => {
              count += 1
              if (performance.now() < endAtMs || count < least) each.pair.send()
              else resolve()
            }
            each.pair.send()
          }),
      ),
    )
    return count
  }

  /** At fixed times, however long each takes; a message waits for the one before it in its pair, and that counts. Returns how many. */
  async function atRate(perSecond: number, ms: number, deliveredMs: number[], tickedMs: number[]): Promise<number> {
    for (const each of pairs) {
      each.delivered = () => deliveredMs.push(performance.now() - (each.sentAtMs[0] ?? 0))
      each.ticked = () => {
        tickedMs.push(performance.now() - (each.sentAtMs.shift() ?? 0))
        if (each.sentAtMs.length > 0) each.pair.send()
      }
    }
    const beganAtMs = performance.now()
    const total = Math.floor((ms * perSecond) / 1000)
    for (let i = 0; i < total; i += 1) {
      const dueAtMs = beganAtMs + (i * 1000) / perSecond
      const waitMs = dueAtMs - performance.now()
      if (waitMs > 0) await sleep(waitMs)
      const each = pairs[i % pairs.length]
      if (each?.sentAtMs.push(performance.now()) === 1) each.pair.send()
    }
    while (tickedMs.length < total) await sleep(5)
    return total
  }

  return { subject, name, asFastAsPossible, atRate, close: () => pairs.forEach(({ pair }) => void pair.close()) }
}
