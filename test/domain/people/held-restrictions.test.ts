import { describe, expect, it } from 'vitest'
import type { EventListener } from '../../../src/ports/events.ts'
import type { Ports } from '../../../src/ports/ports.ts'
import { unavailable } from '../../../src/protocol/errors.ts'
import type { UserId } from '../../../src/protocol/ids.ts'
import { memoryDomain } from '../../kit/memory-domain.ts'

// What a node knows of bans where events are lost, late or doubled, and where Redis or the tables are away. One domain bans, another one hears.

const mallory = 'mallory' as UserId
const trudy = 'trudy' as UserId

function twoNodes() {
  let listener: EventListener | undefined
  const reads: string[] = []
  const away = new Set<'redis' | 'tables'>()
  const troubles: unknown[] = []
  /** Events wait here until the test delivers them. */
  const events: Parameters<EventListener['event']>[0][] = []
  const writer = memoryDomain(({ events: own }) => ({
    events: {
      ...own,
      async publishRestriction(userId, version) {
        events.push({ type: 'restriction', userId, version })
      },
    },
  }))
  const assertThere = (what: 'redis' | 'tables') => {
    if (away.has(what)) throw unavailable()
  }
  const { restrictions } = writer.ports
  const reader = memoryDomain(
    ({ events: own }) => ({
      restrictions: {
        ...restrictions,
        async getMany(userIds) {
          assertThere('tables')
          reads.push('some')
          return restrictions.getMany(userIds)
        },
        async version() {
          assertThere('tables')
          return restrictions.version()
        },
        async page(after, limit) {
          reads.push('all')
          return restrictions.page(after, limit)
        },
      } satisfies Ports['restrictions'],
      events: {
        ...own,
        async subscribeRestrictions(given) {
          assertThere('redis')
          listener = given
          return { flush: async () => undefined, close: async () => undefined }
        },
      },
    }),
    { onRestrictionsError: (error) => troubles.push(error) },
  )
  const { refused } = reader.domain
  return {
    writer: writer.domain.restrictions,
    stored: writer.ports.restrictions,
    clock: reader.ports.clock,
    refused,
    reads,
    away,
    troubles,
    events,
    gap: () => listener?.gap(),
    /** Delivers one event; resolves when the node has dealt with it. */
    async deliver(event = events.shift()) {
      if (event) listener?.event(event)
      await refused.check()
    },
  }
}

describe('a node', () => {
  it('reads the row it hears of, and nothing else', async () => {
    const { writer, refused, reads, deliver } = twoNodes()
    await refused.open()
    reads.length = 0
    await writer.ban(mallory)
    expect(refused.isBanned(mallory)).toBe(false)
    await deliver()
    expect(refused.isBanned(mallory)).toBe(true)
    await writer.unban(mallory)
    await deliver()
    expect(refused.isBanned(mallory)).toBe(false)
    expect(reads).toEqual(['some', 'some'])
  })

  it('does not mind the order of events, nor one that comes twice', async () => {
    const { writer, refused, events, deliver } = twoNodes()
    await refused.open()
    await writer.ban(mallory)
    await writer.ban(trudy)
    await writer.unban(mallory)
    const [first, second, third] = events
    for (const event of [third, second, third, first]) await deliver(event)
    expect([refused.isBanned(mallory), refused.isBanned(trudy)]).toEqual([false, true])
  })

  it('finds by its next check what it never heard of', async () => {
    const { writer, refused, reads } = twoNodes()
    await refused.open()
    await writer.ban(mallory)
    await writer.revokeTokens(trudy, 1000)
    reads.length = 0
    await refused.check()
    expect(reads).toEqual(['all'])
    expect(refused.isBanned(mallory)).toBe(true)
    expect(refused.refuses({ userId: trudy, expiresAtMs: 9e15 })).toBe(true)
    expect(refused.refuses({ userId: trudy, expiresAtMs: 9e15, issuedAtMs: 1000 })).toBe(false)
    await refused.check()
    expect(reads).toEqual(['all'])
  })

  it('looks at once when it may have missed something', async () => {
    const { writer, refused, gap } = twoNodes()
    await refused.open()
    await writer.ban(mallory)
    const changed = new Promise<void>((resolve) => refused.onChange(resolve))
    gap()
    await changed
    expect(refused.isBanned(mallory)).toBe(true)
  })

  it('finds what a writer has left that died after the row, ten minutes later', async () => {
    const { stored, refused, clock } = twoNodes()
    await refused.open()
    await stored.putBan({ kind: 'ban', userId: mallory })
    await refused.check()
    expect(refused.isBanned(mallory)).toBe(false)
    await clock.sleep(10 * 60_000)
    await refused.check()
    expect(refused.isBanned(mallory)).toBe(true)
  })

  it('starts without Redis, and hears as soon as it is there', async () => {
    const { writer, refused, away, reads, deliver } = twoNodes()
    away.add('redis')
    await writer.ban(mallory)
    await refused.open()
    expect(refused.isBanned(mallory)).toBe(true)
    away.delete('redis')
    await refused.check()
    await writer.ban(trudy)
    reads.length = 0
    await deliver()
    expect(reads).toContain('some')
    expect(refused.isBanned(trudy)).toBe(true)
  })

  it('does not start without the tables', async () => {
    const { refused, away } = twoNodes()
    away.add('tables')
    await expect(refused.open()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  it('goes on with what it has while the tables are away', async () => {
    const { writer, refused, away, troubles, deliver } = twoNodes()
    await writer.ban(mallory)
    await refused.open()
    away.add('tables')
    await writer.ban(trudy)
    await deliver()
    expect(refused.isBanned(mallory)).toBe(true)
    expect(troubles.length).toBeGreaterThan(0)
    away.delete('tables')
    await refused.check()
    expect(refused.isBanned(trudy)).toBe(true)
  })

  it('lets somebody in whose ban is over, and forgets nobody who is banned for longer meanwhile', async () => {
    const { writer, refused, clock, deliver } = twoNodes()
    await refused.open()
    await writer.ban(mallory, clock.now() + 1000)
    await deliver()
    expect(refused.isBanned(mallory)).toBe(true)
    await clock.sleep(1000)
    expect(refused.isBanned(mallory)).toBe(false)
    await writer.ban(mallory, clock.now() + 5000)
    await deliver()
    expect(refused.isBanned(mallory)).toBe(true)
  })
})

it('a ban that Redis could not announce stands, and this node keeps it', async () => {
  const { domain } = memoryDomain(({ events }) => ({
    events: { ...events, publishRestriction: () => Promise.reject(unavailable()) },
  }))
  await domain.restrictions.ban(mallory)
  expect(domain.refused.isBanned(mallory)).toBe(true)
})
