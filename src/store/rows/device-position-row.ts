import type { AckedSeqs, DeviceStart, StreamKind } from '../../ports/device-positions.ts'
import type { DeviceAddress } from '../../ports/push.ts'
import type { ConversationId } from '../../protocol/ids.ts'
import type { Item, Key } from './tables.ts'

export const streamColumns = { messages: 'message_seq', changes: 'change_seq' } as const satisfies Record<
  StreamKind,
  string
>

/** Neither id can hold a '#'. */
export const deviceKey = ({ userId, deviceId }: DeviceAddress): string => `${userId}#${deviceId}`

export const startKey = ({ userId, deviceId }: DeviceAddress): Key<'device_starts'> => ({
  user_id: userId,
  device_id: deviceId,
})

export const positionKey = (device: DeviceAddress, conversationId: ConversationId): Key<'device_positions'> => ({
  device_key: deviceKey(device),
  conversation_id: conversationId,
})

export const toText = (atMs: number): string => new Date(atMs).toISOString()

export const toStart = (item: Item<'device_starts'>): DeviceStart => ({
  userId: item.user_id,
  deviceId: item.device_id,
  startSeqs: new Map(Object.entries(item.start_seqs) as [ConversationId, number][]),
  usedAtMs: Date.parse(item.used_at),
})

export const toAcked = ({ conversation_id, message_seq, change_seq }: Item<'device_positions'>): AckedSeqs => ({
  conversationId: conversation_id,
  ...(message_seq !== undefined && { messages: message_seq }),
  ...(change_seq !== undefined && { changes: change_seq }),
})
