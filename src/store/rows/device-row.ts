import type { Device } from '../../ports/push.ts'
import type { Item } from './tables.ts'

export const toDevice = (item: Item<'devices'>): Device => ({
  userId: item.user_id,
  deviceId: item.device_id,
  platform: item.platform,
  token: item.push_token,
  registeredAtMs: Date.parse(item.registered_at),
})
