import { expect, test } from 'vitest'
import type { ChatEvent } from '../../../../src/ports/events.ts'
import type { Session } from '../../../../src/ports/soft-state.ts'
import { aConversation, aUser } from '../../../kit/ids.ts'
import type { SoftWorld } from '../../../kit/soft-worlds.ts'

/** Checks the presence of users, and who gets events of it. */
export function seenContract(world: () => SoftWorld): void {
  const here = () => world().here.sessions
  const seen = async ({ userId }: Session) => (await world().there.sessions.seen([userId]))[0]
  const aDevice = (given: Partial<Session> = {}): Session => ({ userId: aUser(), connectionId: 'phone', ...given })

  async function watch(...sessions: Session[]) {
    const heard: ChatEvent[] = []
    const subscription = await world().there.events.subscribePresence(
      sessions.map(({ userId }) => userId),
      { event: (event) => heard.push(event), gap: () => undefined },
    )
    /** Returns the users who had events since the last call. */
    const published = async () => {
      await subscription.flush()
      return heard.splice(0).map((event) => event.type === 'presence' && event.userId)
    }
    return { published, close: subscription.close }
  }

  test('whoever was never here was never seen', async () => {
    expect(await seen(aDevice())).toEqual({ presence: 'offline' })
  })

  test('while a device is here there is no last time; once the last has gone there is, and it is the later one', async () => {
    const phone = aDevice()
    const laptop = { ...phone, connectionId: 'laptop' }
    await here().attach(phone)
    expect(await seen(phone)).toEqual({ presence: 'syncing' })
    await here().renew([{ session: phone, state: 'online' }])
    await here().attach(laptop)
    expect(await seen(phone)).toEqual({ presence: 'online' })
    await here().leave(phone)
    expect(await seen(phone)).toEqual({ presence: 'syncing' })
    await here().leave(laptop)
    const first = await seen(phone)
    expect(first).toEqual({ presence: 'offline', lastSeenAtMs: expect.any(Number) })
    await here().attach(phone)
    await here().leave(phone)
    expect((await seen(phone))?.lastSeenAtMs).toBeGreaterThanOrEqual(first?.lastSeenAtMs ?? Number.NaN)
  })

  test('a device that expired was last seen when it last gave a sign of life', async () => {
    const phone = aDevice()
    await here().attach(phone)
    await here().renew([{ session: phone, state: 'online' }])
    await world().expire(phone.userId, phone.connectionId)
    expect(await seen(phone)).toEqual({ presence: 'offline', lastSeenAtMs: expect.any(Number) })
  })

  test('a late renewal of one that has left is no sign of life, nor does a forgetful Redis invent one', async () => {
    const phone = aDevice()
    await here().attach(phone)
    await here().leave(phone)
    const before = await seen(phone)
    await here().renew([{ session: phone, state: 'online' }])
    expect(await seen(phone)).toEqual(before)
    await world().forget()
    expect(await seen(phone)).toEqual({ presence: 'offline' })
  })

  test('many come in the order asked for', async () => {
    const [one, two] = [aDevice(), aDevice({ conversationId: aConversation() })]
    await here().attach(two)
    expect(await world().there.sessions.seen([one.userId, two.userId])).toEqual([
      { presence: 'offline' },
      { presence: 'syncing' },
    ])
    expect(await world().there.sessions.seen([])).toEqual([])
  })

  test('whoever watches gets an event at each change of how somebody appears, and not otherwise', async () => {
    const [phone, other] = [aDevice(), aDevice()]
    const laptop = { ...phone, connectionId: 'laptop' }
    const { published, close } = await watch(phone, other)
    const eventsOf = async (act: Promise<unknown>) => {
      await act
      return (await published()).length
    }
    expect(await eventsOf(here().attach(phone))).toBe(1)
    expect(await eventsOf(here().renew([{ session: phone, state: 'syncing' }]))).toBe(0)
    expect(await eventsOf(here().renew([{ session: phone, state: 'online' }]))).toBe(1)
    expect(await eventsOf(here().attach(laptop))).toBe(0)
    expect(await eventsOf(here().leave(laptop))).toBe(0)
    expect(await eventsOf(here().leave(phone))).toBe(1)
    expect(await eventsOf(here().renew([{ session: phone, state: 'online' }]))).toBe(0)
    await here().attach(other)
    expect(await published()).toEqual([other.userId])
    await close()
  })

  test('whoever comes back after having expired, or having been forgotten, is published', async () => {
    const phone = aDevice()
    const { published, close } = await watch(phone)
    await here().attach(phone)
    await world().expire(phone.userId, phone.connectionId)
    await published()
    await here().renew([{ session: phone, state: 'online' }])
    expect(await published()).toEqual([phone.userId])
    await world().forget()
    await here().renew([{ session: phone, state: 'online' }])
    expect(await published()).toEqual([phone.userId])
    await close()
  })

  test('a device for one conversation counts like any other', async () => {
    const phone = aDevice({ conversationId: aConversation() })
    const { published, close } = await watch(phone)
    await here().attach(phone)
    await here().leave(phone)
    expect(await published()).toEqual([phone.userId, phone.userId])
    expect(await seen(phone)).toEqual({ presence: 'offline', lastSeenAtMs: expect.any(Number) })
    await close()
  })
}
