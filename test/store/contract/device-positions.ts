import { describe, expect, test } from 'vitest'
import type { DevicePositions } from '../../../src/ports/device-positions.ts'
import type { DeviceAddress } from '../../../src/ports/push.ts'
import type { DeviceId, Seq } from '../../../src/protocol/ids.ts'
import { aConversation, aUser } from '../../kit/ids.ts'

const aDevice = (): DeviceAddress => ({ userId: aUser(), deviceId: 'phone' as DeviceId })
const atMs = Date.UTC(2026, 1, 3, 4, 5, 6, 7)

export function devicePositionsContract(open: () => DevicePositions): void {
  const startOf = (device: DeviceAddress, seq: Seq) => ({
    ...device,
    startSeqs: new Map([[aConversation(), seq]]),
    usedAtMs: atMs,
  })

  describe('what a device has acked', () => {
    test('only rises', async () => {
      const [device, conversationId] = [aDevice(), aConversation()]
      for (const seq of [4, 9, 6, 9]) await open().raise(device, conversationId, 'messages', seq)
      expect(await open().acked(device)).toEqual([{ conversationId, messages: 9 }])
    })

    test('is the highest of acks at the same time', async () => {
      const [device, conversationId] = [aDevice(), aConversation()]
      await Promise.all([3, 8, 1, 7, 5].map((seq) => open().raise(device, conversationId, 'changes', seq)))
      expect(await open().acked(device)).toEqual([{ conversationId, changes: 8 }])
    })

    test('of messages says nothing of changes', async () => {
      const [device, conversationId] = [aDevice(), aConversation()]
      await open().raise(device, conversationId, 'messages', 8)
      await open().raise(device, conversationId, 'changes', 3)
      expect(await open().acked(device)).toEqual([{ conversationId, messages: 8, changes: 3 }])
    })

    test('is its own: neither another device of the user nor the same device of another user has it', async () => {
      const [device, conversationId] = [aDevice(), aConversation()]
      await open().raise(device, conversationId, 'messages', 8)
      expect(await open().acked({ ...device, deviceId: 'phone2' as DeviceId })).toEqual([])
      expect(await open().acked({ ...device, userId: aUser() })).toEqual([])
    })
  })

  describe('the start of a device', () => {
    test('is put once, as a whole', async () => {
      const device = aDevice()
      const [first, second] = [startOf(device, 5), startOf(device, 7)]
      expect(await open().start(device)).toBeUndefined()
      expect(await open().begin(first)).toBe(true)
      expect(await open().begin(second)).toBe(false)
      expect(await open().start(device)).toEqual(first)
    })

    test('is that of one of those who put it at the same time', async () => {
      const device = aDevice()
      const starts = [1, 2, 3, 4].map((seq) => startOf(device, seq))
      const won = await Promise.all(starts.map((start) => open().begin(start)))
      expect(won.filter(Boolean)).toHaveLength(1)
      expect(await open().start(device)).toEqual(starts[won.indexOf(true)])
    })

    test('may name no conversation, or thousands', async () => {
      const [device, other] = [aDevice(), aDevice()]
      await open().begin({ ...device, startSeqs: new Map(), usedAtMs: atMs })
      expect((await open().start(device))?.startSeqs.size).toBe(0)
      const startSeqs = new Map(Array.from({ length: 5000 }, (_, i) => [aConversation(), 2 ** 31 - 1 - i] as const))
      await open().begin({ ...other, startSeqs, usedAtMs: atMs })
      expect((await open().start(other))?.startSeqs).toEqual(startSeqs)
    })

    test('is among those of its user', async () => {
      const device = aDevice()
      const [one, other] = [startOf(device, 5), startOf({ ...device, deviceId: 'tablet' as DeviceId }, 6)]
      for (const start of [one, other, startOf(aDevice(), 7)]) await open().begin(start)
      const found = await open().ofUser(device.userId)
      expect(found).toHaveLength(2)
      expect(found).toEqual(expect.arrayContaining([one, other]))
    })

    test('says when the device was last used, unless it was forgotten', async () => {
      const [device, forgotten] = [aDevice(), aDevice()]
      const start = startOf(device, 5)
      await open().begin(start)
      for (const each of [device, forgotten]) await open().use(each, atMs + 1)
      expect(await open().start(device)).toEqual({ ...start, usedAtMs: atMs + 1 })
      expect(await open().start(forgotten)).toBeUndefined()
    })
  })

  test('a device that is forgotten has neither start nor acks; the others keep theirs', async () => {
    const device = aDevice()
    const tablet = { ...device, deviceId: 'tablet' as DeviceId }
    const ids = [aConversation(), aConversation()]
    for (const each of [device, tablet]) {
      await open().begin(startOf(each, 5))
      for (const id of ids) await open().raise(each, id, 'messages', 6)
    }
    await open().forget((await open().start(device)) ?? expect.fail())
    expect(await open().start(device)).toBeUndefined()
    expect(await open().acked(device)).toEqual([])
    expect(await open().start(tablet)).toBeDefined()
    expect(await open().acked(tablet)).toHaveLength(2)
  })

  test('a device that was used since it was looked at is not forgotten', async () => {
    const [device, conversationId] = [aDevice(), aConversation()]
    const start = startOf(device, 5)
    await open().begin(start)
    await open().raise(device, conversationId, 'messages', 6)
    await open().use(device, atMs + 1)
    await open().forget(start)
    expect(await open().start(device)).toEqual({ ...start, usedAtMs: atMs + 1 })
    expect(await open().acked(device)).toEqual([{ conversationId, messages: 6 }])
  })
}
