import { Counter, Histogram, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { createDistributions, createTallies } from '../../src/observability/tallies.ts'

const buckets = [0.002, 0.01, 0.5, 1, 2.5]

/** Lines, with the labels of each in order. */
async function rendered(registry: Registry): Promise<string[]> {
  const lines = (await registry.metrics()).split('\n').filter((line) => line !== '')
  return lines.map((line) =>
    line.replace(
      /\{(.*)\}/,
      (_all, labels: string) =>
        `{${labels
          .split(/,(?=\w+=)/)
          .sort()
          .join(',')}}`,
    ),
  )
}

test('tallies are rendered as a Counter is', async () => {
  const [own, library] = [new Registry(), new Registry()]
  const tallies = createTallies(own, 'done_total', 'What was done')
  const counter = new Counter({
    name: 'done_total',
    help: 'What was done',
    labelNames: ['type', 'code'],
    registers: [library],
  })
  const seen = [
    { type: 'query', code: 'OK' },
    { type: 'mutation', code: 'OK' },
    { type: 'query', code: 'OK' },
    { type: 'query', code: 'a "quoted"\\ and\nbroken, one="x"' },
  ]
  for (const labels of seen) {
    tallies(labels).value += 1
    counter.inc(labels)
  }
  expect(await rendered(own)).toEqual(await rendered(library))
  expect(await rendered(own)).toContain('done_total{code="OK",type="query"} 2')
})

test('distributions are rendered as a Histogram is', async () => {
  const [own, library] = [new Registry(), new Registry()]
  const distributions = createDistributions(own, 'took_seconds', 'How long it took', buckets)
  const histogram = new Histogram({
    name: 'took_seconds',
    help: 'How long it took',
    labelNames: ['type', 'transport'],
    buckets,
    registers: [library],
  })
  const seen: [string, number[]][] = [
    ['query', [0, 0.001, 0.002, 0.0021, 0.3, 1, 2.5, 2.6, 1000]],
    ['mutation', [0.5]],
    ['rest', [7]],
  ]
  for (const [type, values] of seen) {
    const labels = { type, transport: 'ws' }
    for (const value of values) {
      distributions(labels).observe(value)
      histogram.observe(labels, value)
    }
  }
  expect(await rendered(own)).toEqual(await rendered(library))
  expect(await rendered(own)).toContain('took_seconds_bucket{le="+Inf",transport="ws",type="query"} 9')
})

test('nothing counted is rendered as prom-client renders it, and under the same labels there is one tally', async () => {
  const own = new Registry()
  const tallies = createTallies(own, 'done_total', 'What was done')
  const distributions = createDistributions(own, 'took_seconds', 'How long it took', buckets)
  const library = new Registry()
  new Counter({ name: 'done_total', help: 'What was done', labelNames: ['type'], registers: [library] })
  new Histogram({ name: 'took_seconds', help: 'How long it took', labelNames: ['type'], buckets, registers: [library] })
  expect(await rendered(own)).toEqual(await rendered(library))
  expect(tallies({ type: 'query' })).toBe(tallies({ type: 'query' }))
  expect(distributions({ type: 'query' })).toBe(distributions({ type: 'query' }))
})
