export type Sample = {
  atMs: number
  node: number
  rss: number
  heapUsed: number
  external: number
  handles: number
  cpuMs: number
  redisBytes: number
}

type Measure = 'rss' | 'heapUsed' | 'handles'
export type Drift = { node: number; measure: Measure; before: number; after: number; ratio: number; flat: boolean }

const flatWithin = 0.1
const windowMaxMs = 10 * 60_000

/**
 * The median of the last ten minutes against that of the ten after the first ten, which are for warming up. A shorter run
 * is cut into sixths in the same way. Less memory than before is no leak.
 */
export function driftsOf(samples: readonly Sample[], lengthMs: number): Drift[] {
  const windowMs = Math.min(windowMaxMs, lengthMs / 6)
  const nodes = [...new Set(samples.map(({ node }) => node))]
  return nodes.flatMap((node) =>
    (['rss', 'heapUsed', 'handles'] as const).map((measure) => {
      const of = (fromMs: number) =>
        median(
          samples
            .filter((sample) => sample.node === node && sample.atMs >= fromMs && sample.atMs < fromMs + windowMs)
            .map((sample) => sample[measure]),
        )
      const [before, after] = [of(windowMs), of(lengthMs - windowMs)]
      const ratio = after / before
      // The crowd decides how many sockets are open: their number is shown, not judged.
      return { node, measure, before, after, ratio, flat: measure === 'handles' || ratio <= 1 + flatWithin }
    }),
  )
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
