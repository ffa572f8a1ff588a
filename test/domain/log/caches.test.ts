import { expect, it } from 'vitest'
import { createLatest } from '../../../src/domain/log/latest-messages.ts'
import { createPeople } from '../../../src/domain/people/people.ts'
import { createKeyValueMemory } from '../../../src/engine/key-value/key-value.memory.ts'
import type { Message } from '../../../src/ports/log.ts'
import type { UserId } from '../../../src/protocol/ids.ts'
import { createProfilesEmbedded } from '../../../src/store/embedded/profiles.ts'

// A cache that forgets large entries sooner is bounded by the size of its entries.

it('a node forgets messages that have just changed sooner where they have thousands of reactions', () => {
  const { latest } = createLatest()
  const reactions = Array.from({ length: 2000 }, (_, i) => ({ emoji: '👍', userId: `user-${i}`, on: true, seq: i + 2 }))
  const first = { conversationId: 'grp_x', seq: 1, body: 'hi', reactions } as unknown as Message
  latest(first)
  for (let seq = 2; seq <= 100; seq += 1) latest({ ...first, seq })
  // The first state is forgotten, so nothing of it is joined.
  expect(latest({ ...first, reactions: [] }).reactions).toEqual([])
})

it('a node forgets profiles sooner where they have long URLs', async () => {
  const stored = createProfilesEmbedded(createKeyValueMemory())
  let reads = 0
  const profiles: typeof stored = {
    ...stored,
    getMany(userIds) {
      reads += 1
      return stored.getMany(userIds)
    },
  }
  const people = createPeople(
    { profiles, clock: { now: () => 0, monotonic: () => 0, sleep: async () => undefined } },
    50_000,
  )
  const avatarUrl = `https://example.com/${'a'.repeat(2000)}`
  for (let i = 0; i < 10_000; i += 1) await people.change(`user-${i}` as UserId, { avatarUrl })
  await people.profilesOf(['user-9999' as UserId])
  expect(reads).toBe(0)
  await people.profilesOf(['user-0' as UserId])
  expect(reads).toBe(1)
})
