import { describe, expect, it } from 'vitest'
import { createSnowflake, nodeNumberLimit } from '../../src/protocol/snowflake.ts'
import { upTo } from '../kit/ids.ts'

const startMs = 1_800_000_000_000
const epochMs = 1_767_225_600_000
const timeOf = (id: string): number => Number(BigInt(id) >> 22n) + epochMs

/** As earlier releases made them. */
const earlierId = (ms: number, node: number, counter: number): string =>
  String((BigInt(ms - epochMs) << 22n) | (BigInt(node) << 12n) | BigInt(counter))

const someIds = (node: number, count: number): string[] =>
  upTo(count).map(
    createSnowflake(
      () => startMs,
      () => node,
    ),
  )

describe('message ids', () => {
  it('of all nodes, made in the same millisecond, are different', () => {
    const ids = new Set<string>()
    for (let node = 0; node < nodeNumberLimit; node += 1) for (const id of someIds(node, 3)) ids.add(id)
    expect(nodeNumberLimit).toBe(32_768)
    expect(ids.size).toBe(3 * nodeNumberLimit)
  })

  it('of two nodes stay apart, however many one makes in a millisecond', () => {
    const [one, other] = [someIds(0, 200), someIds(1, 200)]
    expect(new Set([...one, ...other]).size).toBe(400)
  })

  it.each([0, 1, 31, 32, 1023, 32_767])(
    'of node %i rise, and run ahead of the clock when a millisecond is full',
    (node) => {
      const ids = someIds(node, 200)
      expect(ids).toEqual([...ids].sort((one, other) => (BigInt(one) < BigInt(other) ? -1 : 1)))
      expect(new Set(ids).size).toBe(200)
      expect(ids.map((id) => timeOf(id) - startMs)).toEqual(upTo(200).map((i) => Math.floor((i - 1) / 64)))
    },
  )

  it('rise also when the clock steps back', () => {
    let nowMs = startMs
    const next = createSnowflake(
      () => nowMs,
      () => 7,
    )
    const before = next()
    nowMs -= 60_000
    const after = next()
    expect(BigInt(after) > BigInt(before)).toBe(true)
    nowMs = startMs + 1
    expect(timeOf(next())).toBe(startMs + 1)
  })

  it('are none that an earlier release has made, with up to 2,048 in a millisecond', () => {
    const made = new Set<string>()
    // Of these, both forms have the same bits of the node at the front.
    for (let node = 0; node < 320; node += 1) for (const id of someIds(node, 64)) made.add(id)
    for (let node = 0; node < 10; node += 1) {
      for (let counter = 0; counter < 2048; counter += 1) {
        if (made.has(earlierId(startMs, node, counter))) expect.fail(`${node} ${counter}`)
      }
    }
    // The test can fail: these two forms do meet beyond that.
    expect(made.has(earlierId(startMs, 0, 2048))).toBe(true)
  })

  it('fit into 63 bits until 2095', () => {
    const lastMs = Date.UTC(2095, 0, 1)
    const id = createSnowflake(
      () => lastMs,
      () => nodeNumberLimit - 1,
    )()
    expect(BigInt(id) < 2n ** 63n).toBe(true)
    expect(timeOf(id)).toBe(lastMs)
  })
})
