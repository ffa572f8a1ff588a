import { expect, it } from 'vitest'
import { unavailable } from '../../../src/protocol/errors.ts'
import type { ClientMessageId, ConversationId, UserId } from '../../../src/protocol/ids.ts'
import { aMessage, upTo } from '../../kit/ids.ts'
import { memoryDomain } from '../../kit/memory-domain.ts'

const alice = 'alice' as UserId
const ids = upTo(200).map((n) => `dm_${1000 + n}` as ConversationId)

it('a list that Redis forgot is rebuilt in steps: what was read before a failure is not read again', async () => {
  const read = new Map<ConversationId, number>()
  let atATime = 0
  let most = 0
  let fails = true
  const { domain, ports } = memoryDomain(({ messages }) => ({
    messages: {
      ...messages,
      async below(id, before, limit) {
        read.set(id, (read.get(id) ?? 0) + 1)
        atATime += 1
        most = Math.max(most, atATime)
        await new Promise(setImmediate)
        atATime -= 1
        if (fails && id === ids[150]) throw unavailable()
        return messages.below(id, before, limit)
      },
    },
  }))
  for (const id of ids) {
    await ports.memberships.add(alice, { conversationId: id, joinedSeq: 0 })
    await ports.conversations.create({ id, kind: 'DIRECT', members: [alice, 'bob' as UserId] })
    await ports.messages.put(aMessage(id, 1, { clientMessageId: id as string as ClientMessageId }))
  }
  await expect(domain.chatList.order(alice)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(most).toBeLessThanOrEqual(50)
  expect((await ports.activity.of(ids)).filter((known) => known)).toHaveLength(150)
  fails = false
  expect(await domain.chatList.order(alice)).toHaveLength(200)
  expect([...read.values()].filter((times) => times === 1)).toHaveLength(150)
})
