import type { MessageId } from './ids.ts'

/** This is 2026-01-01T00:00:00Z; 41 bits of milliseconds from there last until 2095. */
const epochMs = 1_767_225_600_000n
const nodeBits = 10n
const counterBits = 12n
const counterLimit = 1 << Number(counterBits)

export const nodeNumberLimit = 1 << Number(nodeBits)

/**
 * Makes ids of the time, the node and a counter. Ids of one node strictly rise, also when its clock steps back or the counter of a millisecond
 * is used up: the generator then runs ahead of the clock. The order of messages never comes from these ids; it comes from seq.
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
