import { expect, test } from 'vitest'
import type { Restriction, RestrictionStore } from '../../../src/ports/restrictions.ts'
import { aUser, upTo } from '../../kit/ids.ts'

const now = Date.UTC(2026, 5, 1)

export function restrictionsContract(open: () => RestrictionStore): void {
  async function all(limit: number): Promise<Restriction[]> {
    const found: Restriction[] = []
    for (;;) {
      const page = await open().page(found.at(-1), limit)
      found.push(...page)
      if (page.length < limit) return found
    }
  }

  test('a ban stands until it is removed, and another one takes its place', async () => {
    const userId = aUser()
    expect(await open().getMany([userId])).toEqual([])
    await open().putBan({ kind: 'ban', userId, untilMs: now })
    await open().putBan({ kind: 'ban', userId })
    expect(await open().getMany([userId])).toEqual([{ kind: 'ban', userId }])
    await open().putBan({ kind: 'ban', userId, untilMs: now + 1 })
    expect(await open().getMany([userId, aUser()])).toEqual([{ kind: 'ban', userId, untilMs: now + 1 }])
    await open().removeBan(userId)
    await open().removeBan(userId)
    expect(await open().getMany([userId])).toEqual([])
  })

  test('a revocation never falls, and says what stands', async () => {
    const userId = aUser()
    const revoke = (issuedBeforeMs: number) => open().putRevocation({ kind: 'revocation', userId, issuedBeforeMs })
    const standing = { kind: 'revocation', userId, issuedBeforeMs: now }
    expect(await revoke(now)).toEqual(standing)
    expect(await revoke(now - 1)).toEqual(standing)
    expect(await revoke(now)).toEqual(standing)
    expect(await open().getMany([userId])).toEqual([standing])
    expect(await revoke(now + 1)).toMatchObject({ issuedBeforeMs: now + 1 })
  })

  test('a ban and a revocation of one user leave each other alone', async () => {
    const userId = aUser()
    await open().putRevocation({ kind: 'revocation', userId, issuedBeforeMs: now })
    await open().putBan({ kind: 'ban', userId })
    expect(await open().getMany([userId])).toHaveLength(2)
    await open().removeBan(userId)
    expect(await open().getMany([userId])).toEqual([{ kind: 'revocation', userId, issuedBeforeMs: now }])
  })

  test('all of them are found, page by page', async () => {
    const bans = upTo(25).map((): Restriction => ({ kind: 'ban', userId: aUser() }))
    await Promise.all(bans.map((ban) => ban.kind === 'ban' && open().putBan(ban)))
    const whole = await all(1000)
    expect(whole).toEqual(expect.arrayContaining(bans))
    expect(await all(7)).toEqual(whole)
    expect(await all(1)).toEqual(whole)
  })

  test('the version rises by one with each call, however many come at once', async () => {
    const before = await open().version()
    const raised = await Promise.all(upTo(8).map(() => open().raiseVersion()))
    expect(raised.sort((one, other) => one - other)).toEqual(upTo(8).map((_, i) => before + i + 1))
    expect(await open().version()).toBe(before + 8)
  })
}
