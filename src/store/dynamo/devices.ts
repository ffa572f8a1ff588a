import type { DeviceStore } from '../../ports/push.ts'
import { toDevice } from '../rows/device-row.ts'
import type { Dynamo } from '../rows/tables.ts'
import { hashOfToken } from '../token-hash.ts'
import { createDynamoTable } from './table.ts'

export function createDevicesDynamo(dynamo: Dynamo): DeviceStore {
  const devices = createDynamoTable(dynamo, 'devices')
  const tokens = createDynamoTable(dynamo, 'push_tokens')

  return {
    async put({ userId, deviceId, platform, token, registeredAtMs }) {
      const registered_at = new Date(registeredAtMs).toISOString()
      await devices.put({ user_id: userId, device_id: deviceId, platform, push_token: token, registered_at })
    },

    async ofUser(userId) {
      const items = await devices.query({ where: 'user_id = :user', values: { ':user': userId } })
      return items.map(toDevice)
    },

    async remove({ userId, deviceId, platform, token }) {
      await devices.remove(
        { user_id: userId, device_id: deviceId },
        { where: 'platform = :platform AND push_token = :token', values: { ':platform': platform, ':token': token } },
      )
    },

    async own(device) {
      await tokens.put({ token_hash: hashOfToken(device), user_id: device.userId, device_id: device.deviceId })
    },

    async ownersOf(asked) {
      const hashes = asked.map(hashOfToken)
      const found = await tokens.getMany(hashes.map((token_hash) => ({ token_hash })))
      const owners = new Map(found.map((item) => [item.token_hash, { userId: item.user_id, deviceId: item.device_id }]))
      return hashes.map((hash) => owners.get(hash))
    },

    async disown(device) {
      await tokens.remove(
        { token_hash: hashOfToken(device) },
        {
          where: 'user_id = :user AND device_id = :device',
          values: { ':user': device.userId, ':device': device.deviceId },
        },
      )
    },
  }
}
