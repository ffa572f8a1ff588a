import type { Constants } from './constants.ts'
import { internetCost, type Prices } from './prices.ts'

/** What is asked of the fleet. Those that follow from no figure of ours are guesses about people; every one is an option of the script. */
export const defaultLoad = {
  /** Users who are connected in the busiest hour. */
  users: 10_000,
  messagesPerDay: 500_000,
  /** The busiest minute against the mean of the day. */
  peak: 2.5,
  devices: 1,
  /** The share of all messages that go to groups. */
  groupShare: 0.2,
  groupSize: 20,
  /** The share of receivers who have no connected device. */
  awayShare: 0.3,
  /** Calls to ack or to mark as read for each message that one member gets; clients put those together that come within 200 ms. */
  receipts: 1.5,
  /** Times in a day that a device connects. */
  attaches: 10,
  /** Conversations of each user that were used in the last 30 days. */
  conversations: 20,
  /** Users who were here in the last 30 days, for each who is connected in the busiest hour. */
  knownUsers: 3,
  /** How long messages are there when storage is looked at. */
  months: 12,
  events: 0,
  shortClaims: 0,
  zones: 3,
  /** Of one process. What happens to them when it dies decides this, not memory. */
  socketsPerNode: 30_000,
}
export type Load = typeof defaultLoad

/** The share of a core that is used in the busiest minute, with all zones there. */
const nodeShare = 0.5
const redisShare = 0.5
/** The nodes that are left when a zone is lost may be this busy. */
const nodeShareInNeed = 0.8
/** What Redis may hold in 13 GiB. The rest is for buffers of clients and of replicas. */
const redisUsableBytes = 8 * 2 ** 30
/** The write units of a message: its claim and its row. What goes to push services or backends is not in here, nor are pages of history. */
const claimAndRow = 2
const daySeconds = 86_400
const daysInMonth = 730 / 24
/** Events of the feed are kept for so many days. */
const eventDays = 30
const monthSeconds = 730 * 3600
const gb = 1e9

export type Plan = ReturnType<typeof makePlan>

export function makePlan(load: Load, of: Constants, prices: Prices) {
  const mean = load.messagesPerDay / daySeconds
  const peak = mean * load.peak
  const sockets = load.users * load.devices
  const there = 1 - load.awayShare
  const receivers = (1 - load.groupShare) * 1 + load.groupShare * (load.groupSize - 1)
  const perMessage = perMessageOf(load, of, receivers, there)
  const attachesPerSecond = (load.peak * sockets * load.attaches) / daySeconds

  const nodeCores =
    (peak * perMessage.nodeCpuMs) / 1000 +
    (load.users * of.idleCpuPercent) / 1000 / 100 +
    (attachesPerSecond * of.attachCpuMs) / 1000
  const left = load.zones > 1 ? (load.zones - 1) / load.zones : 1
  const nodesForCpu = nodeCores / Math.min(nodeShare, nodeShareInNeed * left)
  const nodesForSockets = sockets / load.socketsPerNode / left
  const nodes = Math.max(2, Math.ceil(Math.max(nodesForCpu, nodesForSockets)))
  const nodeMemoryBytes = of.nodeMB * 1e6 + (sockets / (nodes * left)) * of.socketKiB * 1024

  const redisCores = (peak * perMessage.redisCpuMs) / 1000 + (load.users * of.idleRedisCpuPercent) / 1000 / 100
  const conversations = (load.users * load.knownUsers * load.conversations) / 2
  const redisBytes =
    load.users * of.redisUserBytes +
    load.users * (load.knownUsers - 1) * of.redisKnownUserBytes +
    conversations * of.redisConversationBytes
  // Every node asks every master: what that takes of each cannot be shared by more masters.
  const clockShare = (nodes * of.clockRedisMs) / 1000
  const mastersForCpu = redisCores / Math.max(0.05, redisShare - clockShare)
  const mastersForMemory = redisBytes / redisUsableBytes
  const masters = Math.max(1, Math.ceil(Math.max(mastersForCpu, mastersForMemory)))

  const idleReads = (load.users * of.idleReadUnits) / 1000
  const writeUnits = peak * perMessage.writeUnits
  const readUnits = idleReads + attachesPerSecond * of.attachReadUnits
  const storedPerMessage = load.shortClaims ? of.shortMessageBytes : of.messageBytes
  const eventBytes = load.events * (of.eventMessageBytes - of.messageBytes)
  const storedBytes = load.messagesPerDay * (storedPerMessage * daysInMonth * load.months + eventBytes * eventDays)

  const outPerMonthGb = (mean * monthSeconds * perMessage.outBytes) / gb
  const zonesPerMonthGb = ((mean * monthSeconds * perMessage.redisBytes) / gb) * (1 - 1 / load.zones)
  // What a node that is left has to do for those of a lost zone, in the time that its messages leave.
  const comingEach = sockets / (nodes * left) - sockets / nodes
  const backAfterSeconds = (comingEach * of.attachCpuMs) / 1000 / Math.max(0.05, 1 - nodeCores / (nodes * left))
  const monthly = {
    nodes: nodes * prices.nodeHour * 730,
    redis: masters * 2 * prices.redisHour * 730,
    writes: (mean * perMessage.writeUnits * monthSeconds * prices.writeUnits) / 1e6,
    reads: ((readUnits / load.peak) * monthSeconds * prices.readUnits) / 1e6,
    storage: (storedBytes / gb) * prices.storageGb,
    network: internetCost(outPerMonthGb) + zonesPerMonthGb * prices.zoneGb,
  }
  return {
    load,
    messages: { mean, peak, receivers, deliveriesPerSecond: peak * receivers * there * load.devices },
    nodes: {
      nodes,
      nodesForCpu,
      nodesForSockets,
      cores: nodeCores,
      memoryBytes: nodeMemoryBytes,
      socketsEach: sockets / nodes,
      backAfterSeconds,
    },
    redis: {
      masters,
      mastersForCpu,
      mastersForMemory,
      cores: redisCores,
      bytes: redisBytes,
      clockShare,
      connections: 2 * nodes,
    },
    dynamo: { writeUnits, readUnits, unitsPerMessage: perMessage.writeUnits, storedPerMessage, storedBytes },
    network: { outBytesPerSecond: peak * perMessage.outBytes, outPerMonthGb },
    monthly,
    total: Object.values(monthly).reduce((sum, each) => sum + each, 0),
  }
}

function perMessageOf(load: Load, of: Constants, receivers: number, there: number) {
  const direct = 1 - load.groupShare
  const deliveries = receivers * there * load.devices
  // A direct message is measured with the ack of its only receiver. All others come on top of it.
  const receipts = receivers * there * load.receipts
  const moreReceipts = Math.max(0, receipts - direct * there - load.groupShare)
  const moreDeliveries = Math.max(0, deliveries - direct * there - load.groupShare)
  return {
    nodeCpuMs: of.directCpuMs + (moreDeliveries * of.deliveryCpuUs) / 1000 + moreReceipts * of.ackCpuMs,
    redisCpuMs: of.directRedisCpuMs + moreReceipts * of.ackRedisCpuMs,
    writeUnits: claimAndRow + receipts + direct * load.awayShare + load.events,
    redisBytes: of.directRedisBytes + moreReceipts * of.ackRedisBytes,
    // Each call is answered, which takes about as much as a tick; a receipt is told to the author, unless several go together.
    outBytes: deliveries * (of.deliveryBytes + of.frameBytes) + (1 + 2 * receipts) * (of.tickBytes + of.frameBytes),
  }
}
