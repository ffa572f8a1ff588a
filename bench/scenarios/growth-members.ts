import type { Bench } from '../bench.ts'
import type { Crowd } from '../load/crowd.ts'
import type { Calls } from '../machine/dynamodb.ts'
import type { Sheet } from '../sheet.ts'

/** The same send in groups of several sizes whose members are all there: what it asks of DynamoDB must not grow. */
export async function growWithMembers({ stores, choose, meter }: Bench, sheet: Sheet, crowd: Crowd): Promise<void> {
  const { subject, say, makeGroup, size } = crowd
  const sends = choose({ quick: 5, default: 20, full: 50 })
  for (const members of [1, 10, 100, 1000].filter((each) => each <= size)) {
    const to = { conversationId: await makeGroup(members), devices: members }
    for (let i = 0; i < 3; i += 1) await say(to)
    for (let round = 0; round < 3; round += 1) {
      await stores.calls()
      const { serverMs } = await meter(subject, async () => {
        for (let i = 0; i < sends; i += 1) await say(to)
        return sends
      })
      const { calls, units } = ofTheSends(await stores.calls())
      const who = `${members.toLocaleString('en')} members`
      sheet.add(unitsPerSend, who, 'units', units / sends, '10 members')
      sheet.add('growth: DynamoDB calls per send', who, 'calls', calls / sends, '10 members')
      sheet.add('growth: server CPU per send, deliveries included', who, 'ms', serverMs / sends, '10 members')
    }
  }
}

export const unitsPerSend = 'growth: DynamoDB capacity per send'

/** Beside them goes the beat of a thousand streams, which look at what they are in every 30 s. */
function ofTheSends(calls: Calls): { calls: number; units: number } {
  const own = Object.entries(calls).filter(([name]) => !name.endsWith('_memberships'))
  return own.reduce((sum, [, each]) => ({ calls: sum.calls + each.calls, units: sum.units + each.units }), {
    calls: 0,
    units: 0,
  })
}
