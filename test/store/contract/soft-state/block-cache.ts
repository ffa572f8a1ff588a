import { expect, test } from 'vitest'
import type { SendKey } from '../../../../src/ports/soft-state.ts'
import type { ConversationId, UserId } from '../../../../src/protocol/ids.ts'
import { aClientMessageId, aConversation, aUser } from '../../../kit/ids.ts'
import { seedCounter } from '../../../kit/seed-counter.ts'
import type { SoftWorld } from '../../../kit/soft-worlds.ts'

// The interleavings are those of store/redis/block-cache.ts; the reads and writes of DynamoDB happen between the lines.
export function blockCacheContract(world: () => SoftWorld): void {
  const here = () => world().here.blockCache
  const there = () => world().there.blockCache
  const known = async (id: ConversationId) => (await there().look([id], 'nobody'))[0]
  const aSend = (senderId: UserId): SendKey => ({ senderId, clientMessageId: aClientMessageId() })

  const seeded = async (blockers: readonly UserId[] = []) => {
    const id = aConversation()
    await here().look([id], 'first')
    await here().seed(id, 'first', blockers)
    return id
  }

  test('nothing is known until the one with the lease seeds it, then on every node', async () => {
    const [id, blocker] = [aConversation(), aUser()]
    expect(await here().look([id], 'first')).toEqual([undefined])
    expect(await there().look([id], 'second')).toEqual([undefined])
    await there().seed(id, 'second', [])
    expect(await known(id)).toBeUndefined()
    await here().seed(id, 'first', [blocker])
    expect(await known(id)).toEqual([blocker])
  })

  test('many are looked up in the order asked for', async () => {
    const [one, both] = [aUser(), [aUser(), aUser()]]
    const ids = [await seeded(), await seeded([one]), aConversation(), await seeded(both)]
    expect(await there().look(ids, 'lease')).toEqual([[], [one], undefined, both])
    expect(await there().look([], 'lease')).toEqual([])
  })

  test('a change forgets what was known', async () => {
    const id = await seeded()
    await there().begin(id, 'change')
    expect(await known(id)).toBeUndefined()
    await there().end(id, 'change')
    expect(await known(id)).toBeUndefined()
  })

  test('who read before a change that has begun seeds nothing', async () => {
    const id = aConversation()
    await here().look([id], 'reader')
    await there().begin(id, 'change')
    await here().seed(id, 'reader', [])
    expect(await known(id)).toBeUndefined()
  })

  test('who read before a change that has ended seeds nothing', async () => {
    const id = aConversation()
    await here().look([id], 'reader')
    await there().begin(id, 'change')
    await there().end(id, 'change')
    await here().seed(id, 'reader', [])
    expect(await known(id)).toBeUndefined()
  })

  test('what was seeded during a change, because Redis forgot it, is forgotten at its end', async () => {
    const id = aConversation()
    await there().begin(id, 'change')
    await world().forget()
    await here().look([id], 'reader')
    await here().seed(id, 'reader', [])
    await there().end(id, 'change')
    expect(await known(id)).toBeUndefined()
  })

  test('a lease taken during a change, because Redis forgot it, is void at its end', async () => {
    const id = aConversation()
    await there().begin(id, 'change')
    await world().forget()
    await here().look([id], 'reader')
    await there().end(id, 'change')
    await here().seed(id, 'reader', [])
    expect(await known(id)).toBeUndefined()
  })

  test('while a second change is under way the end of the first lets no reader seed', async () => {
    const id = aConversation()
    await here().begin(id, 'first change')
    await there().begin(id, 'second change')
    await here().end(id, 'first change')
    await here().look([id], 'reader')
    await here().seed(id, 'reader', [])
    expect(await known(id)).toBeUndefined()
    await there().end(id, 'second change')
    await here().look([id], 'reader')
  })

  test('reserves where nobody blocks, or the sender does', async () => {
    const sender = aUser()
    for (const id of [await seeded(), await seeded([sender])]) {
      await seedCounter(world().here.sequencer, id, 7)
      const send = aSend(sender)
      expect(await there().reserve(id, send, 'lease')).toEqual({ seq: 8, known: false })
      expect(await here().reserve(id, send, 'lease')).toEqual({ seq: 8, known: true })
    }
    expect(await there().reserve(await seeded(), aSend(sender), 'lease')).toBeUndefined()
  })

  test('reserves nothing for somebody the other has blocked, nor before that is known', async () => {
    const [sender, blocker] = [aUser(), aUser()]
    const [blocked, unknown] = [await seeded([sender, blocker]), aConversation()]
    for (const id of [blocked, unknown]) await seedCounter(world().here.sequencer, id, 7)
    expect(await there().reserve(blocked, aSend(sender), 'lease')).toBe('blocked')
    expect(await there().reserve(unknown, aSend(sender), 'lease')).toBe('unknown')
    expect(await world().here.sequencer.counters([blocked, unknown])).toEqual([7, 7])
    await there().seed(unknown, 'lease', [])
    expect(await here().reserve(unknown, aSend(sender), 'lease')).toEqual({ seq: 8, known: false })
  })

  test('a send known from before is blocked all the same', async () => {
    const [sender, blocker, id] = [aUser(), aUser(), await seeded()]
    await seedCounter(world().here.sequencer, id, 0)
    const send = aSend(sender)
    await here().reserve(id, send, 'lease')
    await here().begin(id, 'change')
    await here().end(id, 'change')
    await here().look([id], 'reader')
    await here().seed(id, 'reader', [blocker])
    expect(await there().reserve(id, send, 'lease')).toBe('blocked')
  })
}
