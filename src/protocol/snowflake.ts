import type { MessageId } from './ids.ts'

/** 2026-01-01T00:00:00Z: 41 bits of milliseconds from here last until 2095. */
const epochMs = 1_767_225_600_000n
const nodeBits = 10n
const counterBits = 12n
const counterLimit = 1 << Number(counterBits)

export const nodeNumberLimit = 1 << Number(nodeBits)

/**
 * Time, then node, then a counter. Ids of one node strictly rise, also when its clock steps back or a millisecond's
 * counter is used up: the generator then runs ahead of the clock. Order is never taken from here: that is what seq is for.
 */
export function createSnowflake(now: () => number, nodeNumber: () => number): () => MessageId {
  let lastMs = 0
  let counter = 0
  return () => {
    const nowMs = now()
    if (nowMs > lastMs) {
      lastMs = nowMs
      counter = 0
    } else {
      counter += 1
      if (counter === counterLimit) {
        lastMs += 1
        counter = 0
      }
    }
    const time = BigInt(lastMs) - epochMs
    return String((((time << nodeBits) | BigInt(nodeNumber())) << counterBits) | BigInt(counter)) as MessageId
  }
}
