import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Session } from '../../../../src/ports/soft-state.ts'
import { sessionTtlMs } from '../../../../src/store/redis/sessions.ts'
import { aConversation, aMessage, aUser } from '../../../kit/ids.ts'
import { seedCounter } from '../../../kit/seed-counter.ts'
import type { SoftWorld } from '../../../kit/soft-worlds.ts'

export function sessionLeasesContract(world: () => SoftWorld): void {
  const here = () => world().here
  const there = () => world().there

  /** The other node learns of the end of a lease when it holds its own. */
  async function aLease() {
    const leaseId = randomUUID()
    await here().sessionLeases.begin(leaseId)
    const own = randomUUID()
    await there().sessionLeases.begin(own)
    return {
      leaseId,
      async end() {
        await world().endLease(leaseId)
        expect(await there().sessionLeases.hold(own)).toMatchObject({ isHeld: true })
      },
    }
  }
  const attached = async (leaseId: string, given: Partial<Session> = {}) => {
    const session: Session = { userId: aUser(), connectionId: 'phone', leaseId, ...given }
    await here().sessions.attach(session)
    await here().sessions.renew([{ session, state: 'online' }])
    return session
  }
  const presenceOf = async ({ userId }: Session) => (await there().sessions.presence([userId]))[0]

  test('a lease is held until it ends, and does not come back', async () => {
    const { leaseId, end } = await aLease()
    expect(await here().sessionLeases.hold(leaseId)).toMatchObject({ isHeld: true })
    await end()
    expect(await here().sessionLeases.hold(leaseId)).toMatchObject({ isHeld: false })
    expect(await here().sessionLeases.hold(leaseId)).toMatchObject({ isHeld: false })
  })

  test('whoever holds a lease learns which nodes have died, and not which live, begin or have finished', async () => {
    const [one, other, done] = [await aLease(), await aLease(), await aLease()]
    const { leaseId: own } = await aLease()
    const diedNow = async () => (await here().sessionLeases.hold(own)).died
    expect(await diedNow()).not.toContain(one.leaseId)
    await one.end()
    await there().sessionLeases.giveUp(done.leaseId)
    expect(await diedNow()).toContain(one.leaseId)
    for (const { leaseId } of [other, done, { leaseId: own }]) expect(await diedNow()).not.toContain(leaseId)
  })

  test('a lease that is given up has ended', async () => {
    const { leaseId } = await aLease()
    const session = await attached(leaseId)
    expect(await presenceOf(session)).toBe('online')
    await here().sessionLeases.giveUp(leaseId)
    expect(await here().sessionLeases.hold(leaseId)).toMatchObject({ isHeld: false })
    await there().sessionLeases.begin(randomUUID())
    expect(await presenceOf(session)).toBe('offline')
  })

  test('a lease that never began, or was forgotten, is not held', async () => {
    expect(await here().sessionLeases.hold(randomUUID())).toMatchObject({ isHeld: false })
    const { leaseId } = await aLease()
    await world().forget()
    expect(await here().sessionLeases.hold(leaseId)).toMatchObject({ isHeld: false })
  })

  test('the sessions of a lease are there as long as it is, and those of others stay', async () => {
    const { leaseId, end } = await aLease()
    const other = await aLease()
    const [ended, living] = [await attached(leaseId), await attached(other.leaseId)]
    expect([await presenceOf(ended), await presenceOf(living)]).toEqual(['online', 'online'])
    await end()
    expect([await presenceOf(ended), await presenceOf(living)]).toEqual(['offline', 'online'])
  })

  test('a user whose lease has ended is absent to whoever writes to them', async () => {
    const { leaseId, end } = await aLease()
    const { userId } = await attached(leaseId)
    const conversationId = aConversation()
    await seedCounter(there().sequencer, conversationId, 1)
    const absent = async () =>
      (await there().events.publishEntry({ entry: aMessage(conversationId, 1), members: [userId] })).absent
    expect(await absent()).toEqual([])
    await end()
    expect(await absent()).toEqual([userId])
  })

  test('a session that was renewed for long counts until it leaves or its lease ends, and so does that of another device', async () => {
    const { leaseId, end } = await aLease()
    const userId = aUser()
    const phone: Session = { userId, connectionId: 'phone', leaseId }
    const laptop: Session = { ...phone, connectionId: 'laptop' }
    const conversationId = aConversation()
    await seedCounter(there().sequencer, conversationId, 1)
    const isAbsent = async () =>
      (await there().events.publishEntry({ entry: aMessage(conversationId, 1), members: [userId] })).absent.length === 1
    for (const session of [phone, laptop]) {
      await here().sessions.attach(session)
      await here().sessions.renew([{ session, state: 'online', lasting: true }])
    }
    await here().sessions.leave(laptop)
    expect(await isAbsent()).toBe(false)
    await here().sessions.leave(phone)
    expect(await isAbsent()).toBe(true)
    // A renewal that comes late brings none back.
    await here().sessions.renew([{ session: laptop, state: 'online', lasting: true }])
    expect(await isAbsent()).toBe(true)
    const tablet: Session = { ...phone, connectionId: 'tablet' }
    await here().sessions.attach(tablet)
    await here().sessions.renew([{ session: tablet, state: 'online', lasting: true }])
    expect(await isAbsent()).toBe(false)
    await end()
    expect(await isAbsent()).toBe(true)
  })

  test('one that follows a single conversation counts there alone, however long it lives', async () => {
    const [userId, followed, other] = [aUser(), aConversation(), aConversation()]
    const session: Session = { userId, connectionId: 'phone', conversationId: followed }
    await here().sessions.attach(session)
    await here().sessions.renew([{ session, state: 'online', lasting: true }])
    const absentFrom = async (id: typeof followed) =>
      (await there().events.publishEntry({ entry: aMessage(id, 1), members: [userId] })).absent
    expect([await absentFrom(followed), await absentFrom(other)]).toEqual([[], [userId]])
  })

  test('the user was last seen when the lease was last held, if that is later than anything else', async () => {
    const { leaseId, end } = await aLease()
    const session = await attached(leaseId)
    const seen = async () => (await there().sessions.seen([session.userId]))[0]
    await end()
    const gone = await seen()
    expect(gone).toEqual({ presence: 'offline', lastSeenAtMs: expect.any(Number) })
    await world().forgetSeen(session.userId)
    const byLease = await seen()
    expect(byLease?.lastSeenAtMs).toBeLessThan(gone?.lastSeenAtMs ?? 0)
    await there().sessions.attach({ userId: session.userId, connectionId: 'laptop' })
    expect(await seen()).toEqual({ presence: 'syncing' })
  })

  test('that does not hold for a session that has left', async () => {
    const { leaseId, end } = await aLease()
    const session = await attached(leaseId)
    await here().sessions.leave(session)
    await end()
    await world().forgetSeen(session.userId)
    expect(await there().sessions.seen([session.userId])).toEqual([{ presence: 'offline' }])
  })

  test('a session whose lease has ended has ended uncleanly: the next clean end sets no flag', async () => {
    const { leaseId, end } = await aLease()
    const { userId } = await attached(leaseId)
    await end()
    const laptop = { userId, connectionId: 'laptop' }
    await there().sessions.attach(laptop)
    await there().sessions.leave(laptop)
    await there().sessions.setPendingIndexComplete(userId)
    const tablet = { userId, connectionId: 'tablet' }
    expect(await there().sessions.attach(tablet)).toEqual({ pendingIndexComplete: false })
  })

  test('a session is renewed for long only where its lease is, as nothing else would end it', async () => {
    const { leaseId } = await aLease()
    const session = await attached(leaseId)
    await here().sessions.renew([{ session, state: 'online', lasting: true }])
    expect(await world().livesMs(session)).toBeGreaterThan(sessionTtlMs)
    // In a cluster the script cannot see the leases.
    if (world().isCluster) return
    const forgotten = await attached(randomUUID())
    await here().sessions.renew([{ session: forgotten, state: 'online', lasting: true }])
    expect(await world().livesMs(forgotten)).toBeLessThanOrEqual(sessionTtlMs)
    expect(await presenceOf(forgotten)).toBe('online')
  })

  test('registered again under another lease, a session is there', async () => {
    const { leaseId, end } = await aLease()
    const session = await attached(leaseId)
    await end()
    const next = await aLease()
    session.leaseId = next.leaseId
    await here().sessions.renew([{ session, state: 'online' }])
    expect(await presenceOf(session)).toBe('online')
  })
}
