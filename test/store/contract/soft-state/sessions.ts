import { expect, test } from 'vitest'
import type { Session } from '../../../../src/ports/soft-state.ts'
import type { UserId } from '../../../../src/protocol/ids.ts'
import { aConversation, aUser } from '../../../kit/ids.ts'
import type { SoftWorld } from '../../../kit/soft-worlds.ts'

export function sessionsContract(world: () => SoftWorld): void {
  const here = () => world().here.sessions
  const there = () => world().there.sessions
  let connections = 0
  const aSession = (userId: UserId, given: Partial<Session> = {}): Session => {
    connections += 1
    return { userId, connectionId: `connection-${connections}`, ...given }
  }
  const attached = async (userId: UserId, given: Partial<Session> = {}) => {
    const session = aSession(userId, given)
    await here().attach(session)
    return session
  }
  /** Ends a session like a stream that has written all its pending rows. */
  const endCleanly = async (session: Session) => {
    await here().leave(session)
    await here().setPendingIndexComplete(session.userId)
  }
  const pendingIndexComplete = async (userId: UserId) => (await there().attach(aSession(userId))).pendingIndexComplete
  const presenceOf = async (userId: UserId) => (await there().presence([userId]))[0]
  const flagged = async () => {
    const userId = aUser()
    await endCleanly(await attached(userId))
    return userId
  }

  test('whoever was never here has no flag', async () => {
    expect(await pendingIndexComplete(aUser())).toBe(false)
  })

  test('the flag stands from a clean end until the next attach, which takes it', async () => {
    const userId = await flagged()
    expect(await pendingIndexComplete(userId)).toBe(true)
    expect(await pendingIndexComplete(userId)).toBe(false)
  })

  test('of two attaching at once only one gets the flag', async () => {
    const userId = await flagged()
    const both = await Promise.all([here().attach(aSession(userId)), there().attach(aSession(userId))])
    expect(both.filter((each) => each.pendingIndexComplete)).toHaveLength(1)
  })

  test('there is no flag while another session lives, and there is when it has ended, too', async () => {
    const userId = aUser()
    const [phone, laptop] = [await attached(userId), await attached(userId)]
    await endCleanly(phone)
    const tablet = aSession(userId)
    expect(await here().attach(tablet)).toEqual({ pendingIndexComplete: false })
    await endCleanly(laptop)
    await endCleanly(tablet)
    expect(await pendingIndexComplete(userId)).toBe(true)
  })

  test('there is no flag while another session that has left is still writing down what it owes', async () => {
    const userId = aUser()
    const [phone, laptop] = [await attached(userId), await attached(userId)]
    await here().leave(phone)
    await endCleanly(laptop)
    expect(await pendingIndexComplete(userId)).toBe(false)
  })

  test('nor for one that came and went meanwhile', async () => {
    const userId = aUser()
    const phone = await attached(userId)
    await here().leave(phone)
    const laptop = await attached(userId)
    await here().leave(laptop)
    await here().setPendingIndexComplete(userId)
    expect(await pendingIndexComplete(userId)).toBe(false)
  })

  test('whoever ends last sets the flag, whichever leaves first', async () => {
    const userId = aUser()
    const [phone, laptop] = [await attached(userId), await attached(userId)]
    await here().leave(phone)
    await here().leave(laptop)
    await here().setPendingIndexComplete(userId)
    await here().setPendingIndexComplete(userId)
    expect(await pendingIndexComplete(userId)).toBe(true)
  })

  test('a session that just leaves sets no flag', async () => {
    const userId = aUser()
    await here().leave(await attached(userId))
    expect(await pendingIndexComplete(userId)).toBe(false)
  })

  test('there is no flag without a session that has left', async () => {
    const userId = aUser()
    await here().setPendingIndexComplete(userId)
    expect(await pendingIndexComplete(userId)).toBe(false)
  })

  test('a session that expired has ended uncleanly: the next clean end sets no flag, the one after that does', async () => {
    const userId = aUser()
    const lost = await attached(userId)
    await world().expire(userId, lost.connectionId)
    await endCleanly(await attached(userId))
    const next = aSession(userId)
    expect(await here().attach(next)).toEqual({ pendingIndexComplete: false })
    await endCleanly(next)
    expect(await pendingIndexComplete(userId)).toBe(true)
  })

  test('the same if it expires beside a session that ends cleanly', async () => {
    const userId = aUser()
    const [phone, laptop] = [await attached(userId), await attached(userId)]
    await world().expire(userId, phone.connectionId)
    await endCleanly(laptop)
    expect(await pendingIndexComplete(userId)).toBe(false)
  })

  test('one that left and died before it was done has ended uncleanly, too', async () => {
    const userId = aUser()
    const phone = await attached(userId)
    await here().leave(phone)
    await world().expire(userId, phone.connectionId)
    await endCleanly(await attached(userId))
    expect(await pendingIndexComplete(userId)).toBe(false)
  })

  test('a late renewal revives an expired session', async () => {
    const userId = aUser()
    const phone = await attached(userId)
    await world().expire(userId, phone.connectionId)
    expect(await presenceOf(userId)).toBe('offline')
    await here().renew([{ session: phone, state: 'online' }])
    expect(await presenceOf(userId)).toBe('online')
  })

  test('a session for one conversation takes the flag and sets none', async () => {
    const userId = await flagged()
    const stream = aSession(userId, { conversationId: aConversation() })
    expect(await here().attach(stream)).toEqual({ pendingIndexComplete: true })
    await endCleanly(stream)
    expect(await pendingIndexComplete(userId)).toBe(false)
  })

  test('beside one for all conversations it costs no flag', async () => {
    const userId = aUser()
    const before = await attached(userId, { conversationId: aConversation() })
    const all = await attached(userId)
    const during = await attached(userId, { conversationId: aConversation() })
    await here().leave(before)
    await here().leave(during)
    await endCleanly(all)
    expect(await pendingIndexComplete(userId)).toBe(true)
  })

  test('but what it alone heard after the other left may be written nowhere', async () => {
    const userId = aUser()
    const one = await attached(userId, { conversationId: aConversation() })
    const all = await attached(userId)
    await here().leave(all)
    await here().leave(one)
    await here().setPendingIndexComplete(userId)
    expect(await pendingIndexComplete(userId)).toBe(false)
  })

  test('the flag is forgotten with everything else', async () => {
    const userId = await flagged()
    await world().forget()
    expect(await pendingIndexComplete(userId)).toBe(false)
  })

  test('a session that was forgotten sets no flag: others may be forgotten, too', async () => {
    const userId = aUser()
    const phone = await attached(userId)
    await world().forget()
    await endCleanly(phone)
    expect(await pendingIndexComplete(userId)).toBe(false)
  })

  test('nor if it was registered again', async () => {
    const userId = aUser()
    const phone = await attached(userId)
    await world().forget()
    await here().renew([{ session: phone, state: 'online' }])
    await endCleanly(phone)
    expect(await pendingIndexComplete(userId)).toBe(false)
  })

  test('nor if it was forgotten between leaving and the flag', async () => {
    const userId = aUser()
    const phone = await attached(userId)
    await here().leave(phone)
    await world().forget()
    await here().setPendingIndexComplete(userId)
    expect(await pendingIndexComplete(userId)).toBe(false)
  })

  test('a forgotten session that is registered again takes back a flag set meanwhile', async () => {
    const userId = aUser()
    const phone = await attached(userId)
    await world().forget()
    await endCleanly(await attached(userId))
    await here().renew([{ session: phone, state: 'online' }])
    expect(await pendingIndexComplete(userId)).toBe(false)
  })

  test('renewing sets the states, and registers again what was forgotten', async () => {
    const [one, two] = [await attached(aUser()), await attached(aUser())]
    await world().forget()
    expect(await there().presence([one.userId, two.userId])).toEqual(['offline', 'offline'])
    await here().renew([
      { session: one, state: 'online' },
      { session: two, state: 'syncing' },
    ])
    expect(await there().presence([one.userId, two.userId])).toEqual(['online', 'syncing'])
    await here().renew([])
  })

  test('a renewal that comes after the end does not bring a session back', async () => {
    const userId = aUser()
    const phone = await attached(userId)
    await here().leave(phone)
    await there().renew([{ session: phone, state: 'online' }])
    expect(await presenceOf(userId)).toBe('offline')
    await here().setPendingIndexComplete(userId)
    expect(await pendingIndexComplete(userId)).toBe(true)
  })

  test('presence is online if any session is, syncing if they only are that, else offline', async () => {
    const userId = aUser()
    expect(await presenceOf(userId)).toBe('offline')
    const phone = await attached(userId)
    expect(await presenceOf(userId)).toBe('syncing')
    await here().renew([{ session: phone, state: 'online' }])
    const laptop = await attached(userId, { conversationId: aConversation() })
    expect(await presenceOf(userId)).toBe('online')
    await here().leave(phone)
    expect(await presenceOf(userId)).toBe('syncing')
    await here().leave(laptop)
    expect(await presenceOf(userId)).toBe('offline')
  })

  test('presence comes in the order asked for', async () => {
    const [online, away, syncing] = [await attached(aUser()), aUser(), await attached(aUser())]
    await here().renew([{ session: online, state: 'online' }])
    expect(await there().presence([syncing.userId, away, online.userId])).toEqual(['syncing', 'offline', 'online'])
    expect(await there().presence([])).toEqual([])
  })

  test('the end of an old session leaves the newer ones of the same user alone', async () => {
    const userId = aUser()
    const old = await attached(userId)
    const newer = await attached(userId)
    await here().renew([{ session: newer, state: 'online' }])
    await there().leave(old)
    expect(await presenceOf(userId)).toBe('online')
  })
}
