import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Session } from '../../../src/ports/soft-state.ts'
import { aConversation, aMessage, aUser } from '../../kit/ids.ts'
import { seedCounter } from '../../kit/seed-counter.ts'
import type { SoftWorld } from '../../kit/soft-worlds.ts'

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
        expect(await there().sessionLeases.hold(own)).toBe(true)
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
    expect(await here().sessionLeases.hold(leaseId)).toBe(true)
    await end()
    expect(await here().sessionLeases.hold(leaseId)).toBe(false)
    expect(await here().sessionLeases.hold(leaseId)).toBe(false)
  })

  test('a lease that never began, or was forgotten, is not held', async () => {
    expect(await here().sessionLeases.hold(randomUUID())).toBe(false)
    const { leaseId } = await aLease()
    await world().forget()
    expect(await here().sessionLeases.hold(leaseId)).toBe(false)
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
