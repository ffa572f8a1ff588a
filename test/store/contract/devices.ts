import { expect, test } from 'vitest'
import type { Device, DeviceStore } from '../../../src/ports/push.ts'
import type { DeviceId } from '../../../src/protocol/ids.ts'
import { aUser } from '../../kit/ids.ts'

export function devicesContract(open: () => DeviceStore): void {
  const aDevice = (given: Partial<Device> = {}): Device => ({
    userId: aUser(),
    deviceId: 'phone' as DeviceId,
    platform: 'FCM',
    token: `token of ${aUser()}`,
    registeredAtMs: 1_790_000_000_123,
    ...given,
  })

  test('a user has the devices that were put, each as it was put last', async () => {
    const phone = aDevice()
    const laptop = { ...phone, deviceId: 'laptop' as DeviceId, platform: 'WEBPUSH' as const, token: 'x'.repeat(4096) }
    expect(await open().ofUser(phone.userId)).toEqual([])
    await open().put(phone)
    await open().put(laptop)
    await open().put({ ...phone, token: 'another', registeredAtMs: 1_790_000_000_999 })
    expect(await open().ofUser(phone.userId)).toEqual([
      laptop,
      { ...phone, token: 'another', registeredAtMs: 1_790_000_000_999 },
    ])
  })

  test('a device is removed only with the token it has', async () => {
    const phone = aDevice()
    await open().put(phone)
    await open().remove({ ...phone, token: 'an older one' })
    await open().remove({ ...phone, platform: 'APNS' })
    expect(await open().ofUser(phone.userId)).toEqual([phone])
    await open().remove(phone)
    await open().remove(phone)
    expect(await open().ofUser(phone.userId)).toEqual([])
  })

  test('a token is its last owner’s, on its own platform', async () => {
    const alices = aDevice()
    const bobs = { ...alices, userId: aUser() }
    const elsewhere = { ...alices, platform: 'APNS' as const }
    expect(await open().ownersOf([alices])).toEqual([undefined])
    await open().own(alices)
    await open().own(bobs)
    expect(await open().ownersOf([alices, elsewhere, bobs])).toEqual([
      { userId: bobs.userId, deviceId: bobs.deviceId },
      undefined,
      { userId: bobs.userId, deviceId: bobs.deviceId },
    ])
    await open().disown(alices)
    expect(await open().ownersOf([alices])).toEqual([{ userId: bobs.userId, deviceId: bobs.deviceId }])
    await open().disown({ ...bobs, deviceId: 'another' as DeviceId })
    expect(await open().ownersOf([alices])).toEqual([{ userId: bobs.userId, deviceId: bobs.deviceId }])
    await open().disown(bobs)
    await open().disown(bobs)
    expect(await open().ownersOf([alices])).toEqual([undefined])
    expect(await open().ownersOf([])).toEqual([])
  })
}
