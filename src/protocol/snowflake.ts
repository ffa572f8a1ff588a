import type { MessageId } from './ids.ts'

/** This is 2026-01-01T00:00:00Z; 41 bits of milliseconds from there last until 2095. */
const epochMs = 1_767_225_600_000n
const highNodeBits = 10n
const lowNodeBits = 5n
const counterBits = 6n
/** The bit of the form is among them. */
const afterTime = highNodeBits + 1n + lowNodeBits + counterBits
const counterLimit = 1 << Number(counterBits)
/**
 * Earlier releases had a counter of 12 bits behind 10 bits of the node, and this is the highest bit of that counter. They set it only from the
 * 2,049th id of one millisecond on, so no id of theirs is ever made again.
 */
const newForm = 1n << (lowNodeBits + counterBits)

export const nodeNumberLimit = 1 << Number(highNodeBits + lowNodeBits)

/**
 * Makes ids of 63 bits: 41 of the time, 10 of the node, a one, 5 more of the node, and 6 of a counter. Ids of one node that keeps its number
 * strictly rise, also when its clock steps back or the counter of a millisecond is used up: the generator then runs ahead of the clock. The
 * order of messages never comes from these ids; it comes from seq.
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
    return String((time << afterTime) | placeOf(BigInt(nodeNumber())) | BigInt(counter)) as MessageId
  }
}

const placeOf = (node: bigint): bigint => {
  const high = (node >> lowNodeBits) << (lowNodeBits + counterBits + 1n)
  const low = (node & ((1n << lowNodeBits) - 1n)) << counterBits
  return high | newForm | low
}
