import type { KeyValue } from '../../engine/key-value/key-value.ts'
import type { DeviceStore } from '../../ports/push.ts'
import { toDevice } from '../rows/device-row.ts'
import { hashOfToken } from '../token-hash.ts'
import { createEmbeddedTable } from './table.ts'

export function createDevicesEmbedded(engine: KeyValue): DeviceStore {
  const devices = createEmbeddedTable(engine, 'devices')
  const tokens = createEmbeddedTable(engine, 'push_tokens')

  return {
    async put({ userId, deviceId, platform, token, registeredAtMs }) {
      const registered_at = new Date(registeredAtMs).toISOString()
      const item = { user_id: userId, device_id: deviceId, platform, push_token: token, registered_at }
      await devices.update(item, () => item)
    },

    ofUser: async (userId) => devices.query(userId).map(toDevice),

    async remove({ userId, deviceId, platform, token }) {
      await devices.update({ user_id: userId, device_id: deviceId }, (standing) =>
        standing?.platform === platform && standing.push_token === token ? 'remove' : 'keep',
      )
    },

    async own(device) {
      const item = { token_hash: hashOfToken(device), user_id: device.userId, device_id: device.deviceId }
      await tokens.update(item, () => item)
    },

    ownersOf: async (asked) =>
      asked.map((device) => {
        const owner = tokens.get({ token_hash: hashOfToken(device) })
        return owner && { userId: owner.user_id, deviceId: owner.device_id }
      }),

    async disown(device) {
      await tokens.update({ token_hash: hashOfToken(device) }, (standing) =>
        standing?.user_id === device.userId && standing.device_id === device.deviceId ? 'remove' : 'keep',
      )
    },
  }
}
