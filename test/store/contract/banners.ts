import { expect, test } from 'vitest'
import type { Banners } from '../../../src/ports/push.ts'
import type { DeviceId } from '../../../src/protocol/ids.ts'
import { aConversation, aUser } from '../../kit/ids.ts'

const [phone, laptop] = ['phone', 'laptop'] as [DeviceId, DeviceId]

export function bannersContract(open: () => Banners): void {
  test('what devices show is noted for each, until it is no more', async () => {
    const member = { userId: aUser(), conversationId: aConversation() }
    expect(await open().any(member)).toBe(false)
    expect(await open().of(member)).toEqual(new Map())
    const shown = new Map([
      [phone, { seq: 5, accepted: true }],
      [laptop, { seq: 6, accepted: false }],
    ])
    await open().note(member, shown)
    expect(await open().of(member)).toEqual(shown)
    expect(await open().any({ ...member, conversationId: aConversation() })).toBe(false)
    await open().note(member, new Map([[phone, null]]))
    expect(await open().of(member)).toEqual(new Map([[laptop, { seq: 6, accepted: false }]]))
    expect(await open().any(member)).toBe(true)
    await open().note(member, new Map([[laptop, null]]))
    await open().note(member, new Map())
    expect(await open().any(member)).toBe(false)
  })

  test('pushes are counted for each user and window', async () => {
    const [alice, bob] = [aUser(), aUser()]
    expect(await open().spend(alice, 1, 60_000)).toBe(1)
    expect(await open().spend(alice, 1, 60_000)).toBe(2)
    expect(await open().spend(bob, 1, 60_000)).toBe(1)
    expect(await open().spend(alice, 2, 60_000)).toBe(1)
  })
}
