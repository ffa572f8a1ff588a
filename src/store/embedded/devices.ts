import type { Device, DeviceAddress, DeviceStore } from '../../ports/push.ts'
import type { DeviceId, UserId } from '../../protocol/ids.ts'
import { hashOfToken } from '../token-hash.ts'

// user → device id → device, and token → whose it is
export function createDevicesMemory(): DeviceStore {
  const devices = new Map<UserId, Map<DeviceId, Device>>()
  const owners = new Map<string, DeviceAddress>()

  return {
    async put(device) {
      const own = devices.get(device.userId) ?? new Map<DeviceId, Device>()
      devices.set(device.userId, own.set(device.deviceId, { ...device }))
    },

    ofUser: async (userId) => structuredClone([...(devices.get(userId)?.values() ?? [])].sort(byId)),

    async remove({ userId, deviceId, platform, token }) {
      const standing = devices.get(userId)?.get(deviceId)
      if (standing?.platform === platform && standing.token === token) devices.get(userId)?.delete(deviceId)
    },

    async own(device) {
      owners.set(hashOfToken(device), { userId: device.userId, deviceId: device.deviceId })
    },

    ownersOf: async (asked) => structuredClone(asked.map((device) => owners.get(hashOfToken(device)))),

    async disown(device) {
      const owner = owners.get(hashOfToken(device))
      if (owner?.userId === device.userId && owner.deviceId === device.deviceId) owners.delete(hashOfToken(device))
    },
  }
}

const byId = (one: Device, other: Device): number => (one.deviceId < other.deviceId ? -1 : 1)
