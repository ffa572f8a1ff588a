import type { AckedSeqs, DevicePositions, DeviceStart } from '../../ports/device-positions.ts'
import type { DeviceAddress } from '../../ports/push.ts'
import type { ConversationId } from '../../protocol/ids.ts'

// user#device → where it began; user#device → conversation → what it has acked. Neither id can hold a '#'.
export function createDevicePositionsMemory(): DevicePositions {
  const starts = new Map<string, DeviceStart>()
  const positions = new Map<string, Map<ConversationId, AckedSeqs>>()
  const keyOf = ({ userId, deviceId }: DeviceAddress) => `${userId}#${deviceId}`
  const copyOf = (start: DeviceStart): DeviceStart => ({ ...start, startSeqs: new Map(start.startSeqs) })

  return {
    async raise(device, conversationId, stream, seq) {
      const rows = positions.get(keyOf(device)) ?? new Map<ConversationId, AckedSeqs>()
      positions.set(keyOf(device), rows)
      const row = rows.get(conversationId) ?? { conversationId }
      rows.set(conversationId, { ...row, [stream]: Math.max(seq, row[stream] ?? 0) })
    },

    acked: async (device) => [...(positions.get(keyOf(device))?.values() ?? [])].map((row) => ({ ...row })),

    async begin(start) {
      if (starts.has(keyOf(start))) return false
      starts.set(keyOf(start), copyOf(start))
      return true
    },

    async start(device) {
      const start = starts.get(keyOf(device))
      return start && copyOf(start)
    },

    ofUser: async (userId) => [...starts.values()].filter((start) => start.userId === userId).map(copyOf),

    async use(device, usedAtMs) {
      const start = starts.get(keyOf(device))
      if (start) starts.set(keyOf(device), { ...start, usedAtMs })
    },

    async forget({ usedAtMs, ...device }) {
      if (starts.get(keyOf(device))?.usedAtMs !== usedAtMs) return
      starts.delete(keyOf(device))
      positions.delete(keyOf(device))
    },
  }
}
