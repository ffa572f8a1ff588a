import { setTimeout as sleep } from 'node:timers/promises'
import type { Scenario, Subject, Who } from '../bench.ts'
import { gather } from '../load/crowd.ts'
import type { Answer } from '../machine/probe.ts'
import { createSheet } from '../sheet.ts'

// Measures the memory that a connected, silent user takes; and then one message to all of them. Each server in a process that has
// done nothing else.

const some: readonly Who[] = ['parley', 'stock', 'raw ws']
const subjects: readonly Who[] = ['parley', 'stock', 'mercurius', 'socket.io', 'raw ws']

export const idle: Scenario = async (bench) => {
  const sheet = createSheet()
  const size = bench.choose({ quick: 100, default: 1000, full: 10_000 })
  const count = size.toLocaleString('en')
  const measured = bench.choose({ quick: some, default: some, full: subjects })
  const starting = measured.map((who) => bench.fresh(who))
  for (const [i, who] of measured.entries()) {
    const subject = (await starting[i]) as Subject
    let before = await subject.settled()
    const crowd = await gather(subject, size, async () => {
      before = await subject.settled()
    })
    // The pause is no longer than that: some seconds after nothing is made any more, V8 gives its nursery back, which is much more than
    // some of these take.
    await sleep(bench.choose({ quick: 100, default: 700, full: 700 }))
    const after = await subject.settled()
    const perSubscriber = (bytes: (of: Answer) => number) => (bytes(after) - bytes(before)) / size / 1024
    const add = (what: string, bytes: (of: Answer) => number) =>
      sheet.add(what, who, 'KiB', perSubscriber(bytes), 'raw ws')
    add(memoryPerSubscriber, ({ rssBytes }) => rssBytes)
    add('idle: the same without V8’s nursery', ({ rssBytes, nurseryBytes }) => rssBytes - nurseryBytes)
    add('idle: heap per subscriber', ({ heapBytes }) => heapBytes)
    const idleMs = bench.choose({ quick: 200, default: 700, full: 10_000 })
    const { serverMs, wallMs } = await bench.meter(subject, async () => {
      await sleep(idleMs)
      return 1
    })
    sheet.add('idle: server CPU per 1,000 subscribers', who, '%', (100 * serverMs * 1000) / (wallMs * size))
    await crowd.say()
    const told = await bench.meter(subject, async () => {
      for (let i = 0; i < 5; i += 1) await crowd.say()
      return 5 * size
    })
    sheet.add(`fan-out to ${count}: server CPU per delivery`, who, 'µs', (1000 * told.serverMs) / told.count, 'raw ws')
    crowd.close()
    await subject.stop()
  }
  return sheet.measured()
}

export const memoryPerSubscriber = 'idle: memory per subscriber'
