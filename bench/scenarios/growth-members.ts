import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench } from '../bench.ts'
import type { Crowd } from '../load/crowd.ts'
import type { Calls } from '../machine/count-calls.ts'
import type { Sheet } from '../sheet.ts'

// Measures the same send in groups of several sizes whose members are all there: what it asks of DynamoDB must not grow. Writes are the send's
// own. Reads go on all the time, as every stream looks after itself twice a minute: the reads of a time without sends are subtracted.

export async function growWithMembers({ stores, choose, meter }: Bench, sheet: Sheet, crowd: Crowd): Promise<void> {
  const { subject, say, makeGroup, size } = crowd
  const sends = choose({ quick: 5, default: 20, full: 50 })
  const silenceMs = choose({ quick: 500, default: 1000, full: 10_000 })
  await stores.calls()
  await sleep(silenceMs)
  const readsPerMs = unitsOf(await stores.calls(), isRead) / silenceMs
  for (const members of [1, 10, 100, 1000].filter((each) => each <= size)) {
    const to = { conversationId: await makeGroup(members), devices: members }
    for (let i = 0; i < 3; i += 1) await say(to)
    for (let round = 0; round < choose({ quick: 1, default: 2, full: 3 }); round += 1) {
      await stores.calls()
      const { serverMs, wallMs } = await meter(subject, async () => {
        for (let i = 0; i < sends; i += 1) await say(to)
        return sends
      })
      const calls = await stores.calls()
      const reads = Math.max(0, unitsOf(calls, isRead) - readsPerMs * wallMs)
      const who = `${members.toLocaleString('en')} members`
      sheet.add(writesPerSend, who, 'units', unitsOf(calls, isWrite) / sends, '10 members')
      sheet.add('growth: DynamoDB read capacity per send', who, 'units', reads / sends)
      sheet.add('growth: server CPU per send, deliveries included', who, 'ms', serverMs / sends, '10 members')
    }
  }
}

export const writesPerSend = 'growth: DynamoDB write capacity per send'

const isRead = (name: string): boolean => /^(GetItem|BatchGetItem|Query) /.test(name)
const isWrite = (name: string): boolean => !isRead(name)

const unitsOf = (calls: Calls, counts: (name: string) => boolean): number =>
  Object.entries(calls)
    .filter(([name]) => counts(name))
    .reduce((sum, [, { units }]) => sum + units, 0)
