import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { readConfig } from '../../../src/config/config.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import { watchedPerUserMax } from '../../../src/protocol/limits.ts'
import type { ApiError, Person } from '../../kit/person.ts'
import { startWorld, type World } from '../../kit/world.ts'

// These limits say what one user may take of a node, beside operations and connections.

let world: World
/** The time of day was set by this much. */
let wallStepMs = 0
const clock: Clock = {
  now: () => Date.now() + wallStepMs,
  monotonic: () => performance.now(),
  sleep: (ms, signal) => setTimeout(ms, undefined, { ...(signal && { signal }) }).catch(() => undefined),
}
beforeAll(async () => {
  const { traffic } = readConfig({})
  world = await startWorld({
    config: { traffic: { ...traffic, uploads: { perHour: 3, bytesPerHour: 1000 } } },
    app: { clock },
  })
})
afterAll(() => world.stop())

describe('uploads', () => {
  const upload = (person: Person, byteSize: number) =>
    person
      .ask('mutation ($input: CreateUploadInput!) { createUpload(input: $input) { attachment { id } } }', {
        input: { contentType: 'image/png', byteSize },
      })
      .then(
        () => 'OK',
        ({ code }: ApiError) => code,
      )

  it('are counted for each user', async () => {
    const [alice, bob] = [await world.person('alice'), await world.person('bob')]
    const outcomes = [await upload(alice, 1), await upload(alice, 1), await upload(alice, 1), await upload(alice, 1)]
    expect(outcomes).toEqual(['OK', 'OK', 'OK', 'RATE_LIMITED'])
    expect(await upload(bob, 1)).toBe('OK')
  })

  it('are counted on while the time of day is set back', async () => {
    const carol = await world.person('carol')
    for (let index = 0; index < 3; index += 1) expect(await upload(carol, 1)).toBe('OK')
    onTestFinished(() => {
      wallStepMs = 0
    })
    wallStepMs = -7_200_000
    expect(await upload(carol, 1)).toBe('RATE_LIMITED')
  })

  it('are weighed, and what is refused weighs nothing', async () => {
    const alice = await world.person('alice')
    expect([await upload(alice, 600), await upload(alice, 600), await upload(alice, 400)]).toEqual([
      'OK',
      'RATE_LIMITED',
      'OK',
    ])
  })
})

describe('people whose presence is watched', () => {
  const ids = (stream: number) => Array.from({ length: 100 }, (_, i) => `watched-${stream}-${i}`)

  it('are counted over all streams of a user, and a stream that ends makes room', async () => {
    const alice = await world.person('alice')
    // Each stream first shows the user who watches, so it is known when it has begun.
    const streams = Array.from({ length: watchedPerUserMax / 100 }, (_, i) =>
      alice.followPresence([alice.userId, ...ids(i).slice(1)]),
    )
    await Promise.all(streams.map((stream) => stream.receives(1)))
    await expect(alice.followPresence([alice.userId]).receives(1)).rejects.toMatchObject({
      message: expect.stringContaining(`at most ${watchedPerUserMax} people`),
    })
    await streams[0]?.stop()
    await expect
      .poll(
        () =>
          alice
            .followPresence([alice.userId])
            .receives(1)
            .then(Boolean, () => false),
        { timeout: 10_000 },
      )
      .toBe(true)
  })
})
