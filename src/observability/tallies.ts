import type { MetricValueWithName, Registry } from 'prom-client'

// Counters and histograms for what happens thousands of times a second. prom-client 15.1.3 looks labels up each time, by a text made of
// them; here the caller holds the counter of its labels. Child counters in prom-client that do not look up would replace this file.

export type Tally = { value: number }
export type Distribution = { observe(value: number): void }

type Labels = Record<string, string>

/** Registers a counter. It has one tally for each set of labels. */
export function createTallies(registry: Registry, name: string, help: string): (labels: Labels) => Tally {
  const tallies = new Map<string, Tally & { labels: Labels }>()
  register(registry, 'counter', name, help, () =>
    [...tallies.values()].map(({ labels, value }) => ({ metricName: name, labels, value })),
  )
  return (labels) => found(tallies, labels, () => ({ labels, value: 0 }))
}

/** Registers a histogram, whose `buckets` are in rising order. */
export function createDistributions(
  registry: Registry,
  name: string,
  help: string,
  buckets: readonly number[],
): (labels: Labels) => Distribution {
  const distributions = new Map<string, ReturnType<typeof createDistribution>>()
  register(registry, 'histogram', name, help, () =>
    [...distributions.values()].flatMap((distribution) => distribution.values(name)),
  )
  return (labels) => found(distributions, labels, () => createDistribution(labels, buckets))
}

function createDistribution(labels: Labels, buckets: readonly number[]) {
  /** How many values fell into each bucket; the last is for values beyond all buckets. */
  const counts = new Array<number>(buckets.length + 1).fill(0)
  let sum = 0
  return {
    observe(value: number): void {
      let at = 0
      while (at < buckets.length && value > (buckets[at] as number)) at += 1
      counts[at] = (counts[at] as number) + 1
      sum += value
    },
    values(name: string): MetricValueWithName<string>[] {
      let count = 0
      const upTo = [...buckets, '+Inf'].map((le, i) => {
        count += counts[i] as number
        return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count }
      })
      return [
        ...upTo,
        { metricName: `${name}_sum`, labels, value: sum },
        { metricName: `${name}_count`, labels, value: count },
      ]
    },
  }
}

function found<T>(known: Map<string, T>, labels: Labels, make: () => T): T {
  const key = JSON.stringify(labels)
  const kept = known.get(key) ?? make()
  known.set(key, kept)
  return kept
}

/** prom-client accepts metrics that are not its own in this shape. */
function register(
  registry: Registry,
  type: 'counter' | 'histogram',
  name: string,
  help: string,
  values: () => MetricValueWithName<string>[],
): void {
  const metric = {
    name,
    help,
    type,
    aggregator: 'sum',
    get: async () => ({ name, help, type, aggregator: 'sum', values: values() }),
    reset: () => undefined,
  }
  registry.registerMetric(metric as never)
}
