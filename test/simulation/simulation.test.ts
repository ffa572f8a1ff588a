import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { bugs, withoutBeat } from './bugs.ts'
import { simulate } from './simulate.ts'

const documented = readFileSync(new URL('../../docs/reliability.md', import.meta.url), 'utf8')

/** Seeds are tried for so long; how many that is depends on the machine. */
const budgetMs = 30_000

describe('the simulation', () => {
  it('finds no broken promise, on as many seeds as fit in half a minute', { timeout: 2 * budgetMs }, async () => {
    const startedAtMs = performance.now()
    let seed = 0
    while (performance.now() - startedAtMs < budgetMs) {
      seed += 1
      const { anomalies } = await simulate(seed)
      expect(anomalies, `npm run simulate -- --seed ${seed}`).toEqual([])
    }
    console.log(`${seed} seeds without an anomaly`)
  })

  it('finds none without the slow beat either, as long as no event is lost without a trace', {
    timeout: 120_000,
  }, async () => {
    for (let seed = 1; seed <= 100; seed += 1) {
      const { anomalies } = await simulate(seed, withoutBeat)
      expect(anomalies, `npm run simulate -- --seed ${seed} --bug 'no beat'`).toEqual([])
    }
  })

  // Each of them showed a bug once. The domain waits at other places by now, so what happens under these seeds is not what
  // happened then; the two bugs themselves are among the planted ones (a session vouches …, two first attempts …).
  it.each([4, 61_455])('seed %i, which once broke a promise, keeps them all', async (seed) => {
    expect((await simulate(seed)).anomalies).toEqual([])
  })

  it('repeats a seed exactly', async () => {
    const [one, other] = [await simulate(7), await simulate(7)]
    expect(one.lines()).toEqual(other.lines())
    expect((await simulate(8)).lines()).not.toEqual(one.lines())
  })

  it.each(bugs)('catches the planted bug: $name (seed $seed)', async (bug) => {
    const { anomalies } = await simulate(bug.seed, bug)
    expect(anomalies).not.toEqual([])
    expect(documented).toContain(`| ${bug.name} | ${bug.seed} |`)
  })
})
