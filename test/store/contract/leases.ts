import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Lease, Leases } from '../../../src/ports/leases.ts'
import { upTo } from '../../kit/ids.ts'

const aName = (): string => `thing-${randomUUID()}`
const now = Date.UTC(2026, 5, 1)
const time = { nowMs: now, untilMs: now + 1000 }
const later = { nowMs: now + 1000, untilMs: now + 2000 }

export function leasesContract(open: () => Leases): void {
  const take = async (name: string, holder: string, at = time): Promise<Lease> =>
    (await open().take(name, holder, at)) ?? expect.fail(`${holder} has not got it`)

  test('is held by one, until the time it was taken for', async () => {
    const name = aName()
    expect(await take(name, 'a')).toEqual({ name, holder: 'a', version: 1, untilMs: now + 1000 })
    expect(await open().take(name, 'b', { ...time, nowMs: now + 999 })).toBeUndefined()
    expect(await take(name, 'b', later)).toEqual({ name, holder: 'b', version: 2, untilMs: now + 2000 })
  })

  test('is taken by one of those who take it at the same time', async () => {
    const name = aName()
    await take(name, 'before')
    const taken = await Promise.all(upTo(8).map((i) => open().take(name, `h${i}`, later)))
    const [won, ...more] = taken.filter((lease) => lease !== undefined)
    expect(more).toEqual([])
    expect(await open().getMany([name])).toEqual([won])
    expect(won?.version).toBe(2)
  })

  test('is held for longer under the same version, also late, as long as nobody has taken it', async () => {
    const name = aName()
    const lease = await take(name, 'a')
    const held = await open().hold(lease, now + 5000)
    expect(held).toEqual({ ...lease, untilMs: now + 5000 })
    expect(await open().take(name, 'b', { nowMs: now + 4999, untilMs: now + 9000 })).toBeUndefined()
    expect(await open().hold(lease, now + 9000)).toEqual({ ...lease, untilMs: now + 9000 })
  })

  test('cannot be held or ended by one who has lost it', async () => {
    const name = aName()
    const lost = await take(name, 'a')
    const won = await take(name, 'b', later)
    expect(await open().hold(lost, now + 9000)).toBeUndefined()
    await open().end(lost)
    expect(await open().getMany([name])).toEqual([won])
  })

  test('is free as soon as its holder has ended it, and its version goes on', async () => {
    const name = aName()
    await open().end(await take(name, 'a'))
    expect(await take(name, 'b')).toMatchObject({ holder: 'b', version: 2 })
  })

  test('is taken again by its own holder, whose first call may have had no answer; what was held by the first is lost', async () => {
    const name = aName()
    const first = await take(name, 'a')
    const second = await take(name, 'a')
    expect(second.version).toBe(2)
    expect(await open().hold(first, now + 9000)).toBeUndefined()
    expect(await open().hold(second, now + 9000)).toBeDefined()
  })

  test('those that are asked for are listed, without those that nobody ever took', async () => {
    const names = [aName(), aName(), aName()]
    const leases = await Promise.all(names.slice(1).map((name) => take(name, 'a')))
    const found = await open().getMany(names)
    expect(found).toHaveLength(2)
    expect(found).toEqual(expect.arrayContaining(leases))
    expect(await open().getMany([])).toEqual([])
  })

  test('is forgotten with its version once it is removed', async () => {
    const name = aName()
    const lost = await take(name, 'a')
    await open().remove(name)
    await open().remove(name)
    expect(await open().hold(lost, now + 9000)).toBeUndefined()
    expect(await open().getMany([name])).toEqual([])
    expect(await take(name, 'b')).toMatchObject({ version: 1 })
  })
}
