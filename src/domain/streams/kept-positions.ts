import { LRUCache } from 'lru-cache'
import type { AckedSeqs, DeviceStart, StreamKind } from '../../ports/device-positions.ts'
import type { LogEntry } from '../../ports/log.ts'
import type { Ports } from '../../ports/ports.ts'
import type { DeviceAddress } from '../../ports/push.ts'
import { ChatError } from '../../protocol/errors.ts'
import {
  type ConversationId,
  type DeviceId,
  isGroupId,
  type MessageAddress,
  type Seq,
  type UserId,
} from '../../protocol/ids.ts'
import { keptDevicesMax, keptStartsMax, newDevicesPerHour } from '../../protocol/limits.ts'
import { entriesMax } from '../../shared/entries-max.ts'

// Keeps the positions of devices, for clients that pass a deviceId (docs/protocol.md, "Devices").
//
// A device that is new gets a start: the boundaries of its user at that moment, written once, as one row, before its first stream shows
// anything. So what another device acks later moves nothing for this one, also in conversations in which this one has never acked. Where
// there is no start, the conversation is newer than the device, and all of it is new to it.
//
// From then on only its own acks move it. Messages and changes come by two streams, of which one may be far ahead; so an ack moves the
// position of that stream which shows the acked entry, and says nothing of the other.

/** How often it is written down that a device is in use: so that of too many devices one is forgotten that is not. */
const usedEveryMs = 3_600_000
/** A stream that has gone past so many cells and shown nothing of them moves the position itself: else each stream reads them again. */
const vainCellsMin = 100

type Needs = Pick<Ports, 'devicePositions' | 'boundaries' | 'messages' | 'quotas' | 'clock'>

export type KeptPositions = ReturnType<typeof createKeptPositions>

export function createKeptPositions(needs: Needs, cacheSize: number) {
  const { devicePositions, boundaries, messages, quotas, clock } = needs
  /** Which stream has shown an entry, as far as this node has shown it to a device: its ack mostly comes here, and then costs no read. */
  const shown = new LRUCache<string, StreamKind>(entriesMax(cacheSize))
  /** When it was last written that a device is in use, for devices that this node knows to have a start. */
  const used = new LRUCache<string, number>(entriesMax(cacheSize))

  /** Returns where a stream of this device begins. */
  async function of(device: DeviceAddress, stream: StreamKind): Promise<ReadonlyMap<ConversationId, Seq>> {
    const [start, acked] = await Promise.all([startOf(device), devicePositions.acked(device)])
    const positions = new Map(start.startSeqs)
    for (const { conversationId, [stream]: seq = 0 } of acked)
      positions.set(conversationId, Math.max(seq, positions.get(conversationId) ?? 0))
    return positions
  }

  /** Returns where the device began, and notes that it is in use. A device that has no start gets one. */
  async function startOf(device: DeviceAddress, acking: readonly AckedSeqs[] = []): Promise<DeviceStart> {
    const known = await devicePositions.start(device)
    const now = clock.now()
    if (known && now - known.usedAtMs > usedEveryMs) await devicePositions.use(device, now)
    const start = known ?? (await begin(device, acking))
    used.set(nameOf(device), now)
    return start
  }

  /** Of two streams that begin at once, one writes the start, and both use what is written. */
  async function begin(device: DeviceAddress, acking: readonly AckedSeqs[]): Promise<DeviceStart> {
    await takeQuota(device.userId)
    const [delivered, others] = await Promise.all([
      boundaries.ofUser(device.userId),
      devicePositions.ofUser(device.userId),
    ])
    const startSeqs = new Map(delivered.map((each) => [each.conversationId, each.lastDeliveredSeq]))
    // It may have acked before. Then it is there, although others may be further by now. This is read after the boundaries, which its ack has
    // raised before: the start is never above what it had acked by then.
    for (const { conversationId, messages: message, changes } of [...(await devicePositions.acked(device)), ...acking])
      startSeqs.set(conversationId, Math.min(...[startSeqs.get(conversationId), message, changes].filter(isSeq)))
    const start: DeviceStart = { ...device, startSeqs: highest(startSeqs), usedAtMs: clock.now() }
    if (!(await devicePositions.begin(start))) return (await devicePositions.start(device)) ?? start
    await forgetUnused(others.filter(({ deviceId }) => deviceId !== device.deviceId))
    return start
  }

  /** If this fails, the next new device forgets them. */
  async function forgetUnused(others: readonly DeviceStart[]): Promise<void> {
    const unused = others.toSorted((one, other) => other.usedAtMs - one.usedAtMs).slice(keptDevicesMax - 1)
    for (const device of unused) used.delete(nameOf(device))
    await Promise.allSettled(unused.map(devicePositions.forget))
  }

  async function takeQuota(userId: UserId): Promise<void> {
    const { retryAfterMs = 0 } = (await quotas?.take(`devices:${userId}`, 1, newDevicesPerHour)) ?? {}
    if (retryAfterMs > 0) throw new ChatError('RATE_LIMITED', 'Too many new devices within an hour.', { retryAfterMs })
  }

  /**
   * The device has this entry, and all that the same stream has shown it before. Now and then its start is looked at, too: a device that acks
   * is in use, and one that has no start would otherwise leave rows that are never forgotten.
   */
  async function raise(device: DeviceAddress, conversationId: ConversationId, seq: Seq): Promise<void> {
    const stream = shown.get(keyOf({ conversationId, seq })) ?? (await lookUp({ conversationId, seq }))
    const usedAtMs = used.get(nameOf(device))
    if (usedAtMs === undefined || clock.now() - usedAtMs > usedEveryMs)
      await startOf(device, [{ conversationId, [stream]: seq }])
    await devicePositions.raise(device, conversationId, stream, seq)
  }

  async function lookUp(address: MessageAddress): Promise<StreamKind> {
    const stream = streamOf(await messages.get(address))
    shown.set(keyOf(address), stream)
    return stream
  }

  function noteShown(row: LogEntry): void {
    shown.set(keyOf(row), streamOf(row))
  }

  /** At the end of a stream. If this fails, the next one reads the same cells again. */
  async function skip(
    request: { userId: UserId; deviceId?: DeviceId },
    stream: StreamKind,
    reading: { passedInVain(cells: number): [ConversationId, Seq][] },
  ): Promise<void> {
    const device = deviceOf(request)
    if (!device) return
    // Of a group, a stream with notices shows some of the cells that one without them has passed.
    const passed = reading.passedInVain(vainCellsMin).filter(([id]) => stream === 'changes' || !isGroupId(id))
    await Promise.allSettled(passed.map(([id, seq]) => devicePositions.raise(device, id, stream, seq)))
  }

  return { of, raise, noteShown, skip }
}

export const deviceOf = ({ userId, deviceId }: { userId: UserId; deviceId?: DeviceId }): DeviceAddress | undefined =>
  deviceId && { userId, deviceId }

const nameOf = ({ userId, deviceId }: DeviceAddress): string => `${userId}#${deviceId}`

const keyOf = ({ conversationId, seq }: MessageAddress): string => `${conversationId}#${seq}`

const streamOf = (row: { kind: string } | undefined): StreamKind => (row?.kind === 'change' ? 'changes' : 'messages')

const isSeq = (seq: Seq | undefined): seq is Seq => seq !== undefined

/** A conversation that is left out comes whole. So those are left out of which least comes again. */
const highest = (seqs: ReadonlyMap<ConversationId, Seq>): ReadonlyMap<ConversationId, Seq> =>
  seqs.size <= keptStartsMax ? seqs : new Map([...seqs].sort(([, a], [, b]) => b - a).slice(0, keptStartsMax))
