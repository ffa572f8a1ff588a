import type { AckedSeqs, DevicePositions } from '../../../src/ports/device-positions.ts'
import type { DeviceAddress } from '../../../src/ports/push.ts'
import type { ConversationId, DeviceId } from '../../../src/protocol/ids.ts'
import type { Bug } from './bugs.ts'

// Mistakes with the positions that the server keeps for devices. Only some seeds have such devices: see `keepsPositions` in world.ts.

const keyOf = ({ userId, deviceId }: DeviceAddress): string => `${userId} ${deviceId}`

/** What devices have acked, kept by `put` in a map of the bug's own. */
function ackedBy(
  put: (rows: Map<ConversationId, AckedSeqs>, next: AckedSeqs) => void,
  isLost: () => boolean = () => false,
): Pick<DevicePositions, 'raise' | 'acked'> {
  const all = new Map<string, Map<ConversationId, AckedSeqs>>()
  const rowsOf = (device: DeviceAddress) => {
    if (isLost()) all.clear()
    const rows = all.get(keyOf(device)) ?? new Map<ConversationId, AckedSeqs>()
    all.set(keyOf(device), rows)
    return rows
  }
  return {
    raise: async (device, conversationId, stream, seq) => put(rowsOf(device), { conversationId, [stream]: seq }),
    acked: async (device) => [...rowsOf(device).values()],
  }
}

const highest = (rows: Map<ConversationId, AckedSeqs>, next: AckedSeqs): void => {
  const { messages = 0, changes = 0 } = rows.get(next.conversationId) ?? {}
  const { conversationId } = next
  rows.set(conversationId, {
    conversationId,
    messages: Math.max(messages, next.messages ?? 0),
    changes: Math.max(changes, next.changes ?? 0),
  })
}

const allDevices = ({ userId }: DeviceAddress): DeviceAddress => ({ userId, deviceId: 'all' as DeviceId })

export const deviceBugs: Bug[] = [
  {
    name: 'the position of a device is what it has acked last, not most',
    seed: 3023,
    plant: (ports) => ({
      ...ports,
      devicePositions: {
        ...ports.devicePositions,
        ...ackedBy((rows, next) => rows.set(next.conversationId, { ...rows.get(next.conversationId), ...next })),
      },
    }),
  },
  {
    name: 'a device begins where the others are, with every stream',
    seed: 3,
    plant: (ports) => ({
      ...ports,
      devicePositions: { ...ports.devicePositions, start: async () => undefined, begin: async () => true },
    }),
  },
  {
    name: 'what a device acks counts for both of its streams',
    seed: 3,
    plant: (ports) => ({
      ...ports,
      devicePositions: {
        ...ports.devicePositions,
        async raise(device, id, _stream, seq) {
          await ports.devicePositions.raise(device, id, 'messages', seq)
          await ports.devicePositions.raise(device, id, 'changes', seq)
        },
      },
    }),
  },
  {
    name: 'what one device acks counts for all devices of its user',
    seed: 3,
    plant: (ports) => ({
      ...ports,
      devicePositions: {
        ...ports.devicePositions,
        raise: (device, ...args) => ports.devicePositions.raise(allDevices(device), ...args),
        acked: (device) => ports.devicePositions.acked(allDevices(device)),
      },
    }),
  },
  {
    name: 'Redis alone keeps the positions of devices',
    seed: 3,
    plant(ports, { redis }) {
      let runId = redis.runId()
      const isLost = () => {
        const before = runId
        runId = redis.runId()
        return before !== runId
      }
      return { ...ports, devicePositions: { ...ports.devicePositions, ...ackedBy(highest, isLost) } }
    },
  },
]
