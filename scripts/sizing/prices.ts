// List prices of AWS in us-east-1, on demand, in US dollars, as they were published in 2025. They change: each is an option of the script.

export const pricesOf = '2025'

export const defaultPrices = {
  /** An hour of one core with 2 GiB, as a c7g.medium. */
  nodeHour: 0.0363,
  /** An hour of a Redis server with 13 GiB, as a cache.r7g.large. */
  redisHour: 0.219,
  /** A million write request units. */
  writeUnits: 0.625,
  /** A million read request units. */
  readUnits: 0.125,
  /** A GB of a table in a month, with point-in-time recovery. */
  storageGb: 0.45,
  /** A GB to another zone, in and out together. */
  zoneGb: 0.02,
}
export type Prices = typeof defaultPrices

/** To the internet in a month: the price of a GB up to so many. */
const internetTiers = [
  { upToGb: 10_240, perGb: 0.09 },
  { upToGb: 51_200, perGb: 0.085 },
  { upToGb: 153_600, perGb: 0.07 },
  { upToGb: Number.POSITIVE_INFINITY, perGb: 0.05 },
]

export function internetCost(gb: number): number {
  let [cost, fromGb] = [0, 0]
  for (const { upToGb, perGb } of internetTiers) {
    cost += Math.max(0, Math.min(gb, upToGb) - fromGb) * perGb
    fromGb = upToGb
  }
  return cost
}
