import { expect, it } from 'vitest'
import { createAccess } from '../../../src/domain/conversations/access.ts'
import { createKeyValueMemory } from '../../../src/engine/key-value/key-value.memory.ts'
import type { ConversationId, UserId } from '../../../src/protocol/ids.ts'
import { createMemoryRedis } from '../../../src/store/embedded/soft-state/memory-redis.ts'
import { createSoftStateMemory } from '../../../src/store/embedded/soft-state/soft-state.ts'
import { createStoresEmbedded } from '../../../src/store/embedded/stores.ts'
import { aGroup } from '../../kit/ids.ts'
import { instantClock } from '../../kit/memory-domain.ts'

it('what a node keeps of conversations is bounded by their size, and what it cannot keep it still answers', async () => {
  const stores = createStoresEmbedded(createKeyValueMemory())
  const soft = createSoftStateMemory(createMemoryRedis(instantClock()))
  const access = createAccess({ ...stores, ...soft, randomId: () => 'id' }, { entries: 1000, bytes: 20_000 })
  const [alice, ...others] = Array.from({ length: 50 }, (_, i) => `user-${i}` as UserId) as [UserId, ...UserId[]]
  const ids = Array.from({ length: 20 }, (_, i) => `grp_${i}` as ConversationId)
  for (const id of ids) {
    await stores.memberships.add(alice, { conversationId: id, joinedSeq: 1 })
    await stores.conversations.create(aGroup({ id, members: [alice, ...others], version: 1 }))
  }
  expect(await access.all(alice)).toHaveLength(20)
  // A group of 50 takes about 6 KB.
  expect(ids.filter((id) => access.copyOf(id))).toHaveLength(3)
  expect((await access.find(alice, ids)).filter((member) => member)).toHaveLength(20)

  const tooLarge = 'grp_large' as ConversationId
  const crowd = Array.from({ length: 1000 }, (_, i) => `crowd-${i}` as UserId)
  await stores.memberships.add(alice, { conversationId: tooLarge, joinedSeq: 1 })
  await stores.conversations.create(aGroup({ id: tooLarge, members: [alice, ...crowd], version: 1 }))
  expect((await access.member(alice, tooLarge)).conversation.members).toHaveLength(1001)
  expect(access.copyOf(tooLarge)).toBeUndefined()
})
