import { describe, expect, test } from 'vitest'
import type { BoundaryStore, MemberAddress } from '../../../src/ports/delivery.ts'
import type { Seq } from '../../../src/protocol/ids.ts'
import type { MemberBoundaries } from '../../../src/protocol/ticks.ts'
import { aConversation, aUser, upTo } from '../../kit/ids.ts'

export function boundariesContract(open: () => BoundaryStore): void {
  const aMember = (): MemberAddress => ({ userId: aUser(), conversationId: aConversation() })
  const at = (member: MemberAddress, lastDeliveredSeq: Seq, lastReadSeq: Seq): MemberBoundaries => ({
    ...member,
    lastDeliveredSeq,
    lastReadSeq,
  })
  const changed = (before: MemberBoundaries, boundaries: MemberBoundaries) => ({ boundaries, changed: true, before })
  const current = async (member: MemberAddress) => (await open().getMany([member]))[0]

  describe('deliver', () => {
    test('makes the row, with read at 0', async () => {
      const member = aMember()
      expect(await open().deliver(member, 4)).toEqual(changed(at(member, 0, 0), at(member, 4, 0)))
      expect(await current(member)).toEqual(at(member, 4, 0))
    })

    test('only rises', async () => {
      const member = aMember()
      await open().deliver(member, 4)
      expect(await open().deliver(member, 6)).toEqual(changed(at(member, 4, 0), at(member, 6, 0)))
      expect(await open().deliver(member, 6)).toEqual({ boundaries: at(member, 6, 0), changed: false })
      expect(await open().deliver(member, 5)).toEqual({ boundaries: at(member, 6, 0), changed: false })
      expect(await current(member)).toEqual(at(member, 6, 0))
    })

    test('leaves read where it is', async () => {
      const member = aMember()
      await open().read(member, 3)
      expect(await open().deliver(member, 9)).toEqual(changed(at(member, 3, 3), at(member, 9, 3)))
      expect(await open().deliver(member, 2)).toEqual({ boundaries: at(member, 9, 3), changed: false })
    })
  })

  // The caller knows nothing of delivered, or a value that is right, too low or too high.
  describe.each([undefined, 0, 3, 8, 50])('read, with delivered believed at %s,', (delivered) => {
    const read = (member: MemberAddress, seq: Seq) =>
      delivered === undefined ? open().read(member, seq) : open().read(member, seq, delivered)

    test('makes the row and lifts delivered with it', async () => {
      const member = aMember()
      expect(await read(member, 5)).toEqual(changed(at(member, 0, 0), at(member, 5, 5)))
      expect(await current(member)).toEqual(at(member, 5, 5))
    })

    test('lifts a lower delivered', async () => {
      const member = aMember()
      await open().deliver(member, 3)
      expect(await read(member, 5)).toEqual(changed(at(member, 3, 0), at(member, 5, 5)))
      expect(await current(member)).toEqual(at(member, 5, 5))
    })

    test('leaves a higher delivered', async () => {
      const member = aMember()
      await open().deliver(member, 8)
      expect(await read(member, 5)).toEqual(changed(at(member, 8, 0), at(member, 8, 5)))
      expect(await read(member, 8)).toEqual(changed(at(member, 8, 5), at(member, 8, 8)))
      expect(await current(member)).toEqual(at(member, 8, 8))
    })

    test('only rises', async () => {
      const member = aMember()
      await open().deliver(member, 8)
      await read(member, 5)
      expect(await read(member, 5)).toEqual({ boundaries: at(member, 8, 5), changed: false })
      expect(await read(member, 2)).toEqual({ boundaries: at(member, 8, 5), changed: false })
      expect(await read(member, 11)).toEqual(changed(at(member, 8, 5), at(member, 11, 11)))
      expect(await read(member, 8)).toEqual({ boundaries: at(member, 11, 11), changed: false })
      expect(await current(member)).toEqual(at(member, 11, 11))
    })
  })

  test('under concurrent updates no boundary falls, read stays within delivered, and the highest wins', async () => {
    const member = aMember()
    const random = pseudoRandom(20_260_101)
    const moves = upTo(60).map(() => ({
      kind: random(2) === 0 ? 'deliver' : 'read',
      seq: 1 + random(40),
      believed: random(50),
    }))
    let seen = at(member, 0, 0)
    const watch = async () => {
      const now = (await current(member)) ?? seen
      expect(now.lastDeliveredSeq).toBeGreaterThanOrEqual(seen.lastDeliveredSeq)
      expect(now.lastReadSeq).toBeGreaterThanOrEqual(seen.lastReadSeq)
      expect(now.lastReadSeq).toBeLessThanOrEqual(now.lastDeliveredSeq)
      seen = now
    }
    for (let i = 0; i < moves.length; i += 12) {
      const changes = Promise.all(
        moves.slice(i, i + 12).map(async ({ kind, seq, believed }) => {
          const { boundaries } =
            kind === 'deliver' ? await open().deliver(member, seq) : await open().read(member, seq, believed)
          expect(kind === 'deliver' ? boundaries.lastDeliveredSeq : boundaries.lastReadSeq).toBeGreaterThanOrEqual(seq)
          expect(boundaries.lastReadSeq).toBeLessThanOrEqual(boundaries.lastDeliveredSeq)
        }),
      )
      await watch()
      await watch()
      await changes
    }
    const highestRead = Math.max(...moves.filter(({ kind }) => kind === 'read').map(({ seq }) => seq))
    expect(await current(member)).toEqual(at(member, Math.max(...moves.map(({ seq }) => seq)), highestRead))
  })

  test('a read is not lost to a deliver that passes it', async () => {
    const members = upTo(15).map(aMember)
    await Promise.all(members.flatMap((member) => [open().read(member, 5, 9), open().deliver(member, 9)]))
    expect(await open().getMany(members)).toEqual(members.map((member) => at(member, 9, 5)))
  })

  test('of twenty equal delivers at once exactly one changes something', async () => {
    const member = aMember()
    const changes = await Promise.all(upTo(20).map(() => open().deliver(member, 3)))
    expect(changes.filter(({ changed }) => changed)).toHaveLength(1)
  })

  test('many are given in the order asked for, zeroes where there is no row, doubles doubled', async () => {
    const members = upTo(120).map(aMember)
    await Promise.all(members.filter((_, i) => i % 2 === 0).map((member, i) => open().deliver(member, i + 1)))
    const asked = [...members, ...members.slice(0, 3)].reverse()
    const expected = members.map((member, i) => at(member, i % 2 === 0 ? i / 2 + 1 : 0, 0))
    expect(await open().getMany(asked)).toEqual([...expected, ...expected.slice(0, 3)].reverse())
    expect(await open().getMany([])).toEqual([])
  })

  test('a user’s rows are all of theirs and nobody else’s', async () => {
    const userId = aUser()
    const members = upTo(120).map((): MemberAddress => ({ userId, conversationId: aConversation() }))
    await Promise.all([...members.map((member, i) => open().deliver(member, i + 1)), open().deliver(aMember(), 1)])
    const rows = await open().ofUser(userId)
    expect(rows).toHaveLength(120)
    expect(rows).toEqual(expect.arrayContaining(members.map((member, i) => at(member, i + 1, 0))))
    expect(await open().ofUser(aUser())).toEqual([])
  })
}

/** Returns the same numbers in every run, so that a failure can be repeated. */
function pseudoRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
}
