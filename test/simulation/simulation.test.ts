import { describe, expect, it } from 'vitest'
import { withoutPeriodicResync } from './bugs/bugs.ts'
import { withFeed } from './feed.ts'
import { withNotices } from './notices.ts'
import { simulate } from './simulate.ts'

/** These are a few of many; `npm run simulate` tries any number. */
const seeds = 36
const seedsWithoutResync = 24
const seedsWithNotices = 24
const seedsWithFeed = 24
const timeout = 300_000

describe('the simulation', () => {
  it(`finds no broken promise on ${seeds} seeds`, { timeout }, async () => {
    for (let seed = 1; seed <= seeds; seed += 1) {
      const { anomalies } = await simulate(seed)
      expect(anomalies, `npm run simulate -- --seed ${seed}`).toEqual([])
    }
  })

  it('finds none without the periodic resync either, as long as no event is lost without a trace', {
    timeout,
  }, async () => {
    for (let seed = 1; seed <= seedsWithoutResync; seed += 1) {
      const { anomalies } = await simulate(seed, withoutPeriodicResync)
      expect(anomalies, `npm run simulate -- --seed ${seed} --bug 'no beat'`).toEqual([])
    }
  })

  it('finds none where every stream and every page shows notices', { timeout }, async () => {
    for (let seed = 1; seed <= seedsWithNotices; seed += 1) {
      const { anomalies } = await simulate(seed, withNotices)
      expect(anomalies, `npm run simulate -- --seed ${seed} --bug '${withNotices.name}'`).toEqual([])
    }
  })

  it('finds none where everything is announced in the feed, which has each entry once and in order', {
    timeout,
  }, async () => {
    for (let seed = 1; seed <= seedsWithFeed; seed += 1) {
      const { anomalies } = await simulate(seed, withFeed)
      expect(anomalies, `npm run simulate -- --seed ${seed} --bug '${withFeed.name}'`).toEqual([])
    }
  })

  // Each of these seeds showed a bug once. The domain awaits at other places by now, so these seeds no longer give the same runs; the two bugs
  // themselves are among the planted ones (a session vouches …, two first attempts …).
  it.each([4, 61_455])('seed %i, which once broke a promise, keeps them all', async (seed) => {
    expect((await simulate(seed)).anomalies).toEqual([])
  })

  it('repeats a seed exactly', async () => {
    const [one, other] = [await simulate(7), await simulate(7)]
    expect(one.lines()).toEqual(other.lines())
    expect((await simulate(8)).lines()).not.toEqual(one.lines())
  })
})
