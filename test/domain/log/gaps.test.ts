import { expect, it } from 'vitest'
import { directConversationId } from '../../../src/domain/conversations/conversation-id.ts'
import type { Message } from '../../../src/ports/log.ts'
import type { Ports } from '../../../src/ports/ports.ts'
import type { Seq } from '../../../src/protocol/ids.ts'
import { aMessage, aUser, upTo } from '../../kit/ids.ts'
import { memoryDomain, nextTurn } from '../../kit/memory-domain.ts'
import { seedCounter } from '../../kit/seed-counter.ts'
import { createManualClock } from '../../transport/kit.ts'

// A live reader meets missing seqs, step by step. The test plays the writers.

/** Bob reads along in his chat with Alice; `written` is a message of hers whose event is not published, `published` one that is. */
async function aReader() {
  const clock = createManualClock()
  const voids: Seq[] = []
  const { domain, ports } = memoryDomain((plain) => ({ clock, messages: countingVoids(plain.messages, voids) }))
  const [alice, bob] = [aUser(), aUser()]
  const conversationId = directConversationId(alice, bob)
  const member = await domain.access.direct(alice, bob)
  const messageAt = (seq: Seq): Message => aMessage(conversationId, seq, { senderId: alice })
  const written = async (seq: Seq): Promise<void> => void (await ports.messages.put(messageAt(seq)))
  const publish = async (seq: Seq): Promise<void> => {
    await ports.events.publishEntry({ entry: messageAt(seq), members: member.conversation.members })
    await nextTurn()
  }
  const published = async (seq: Seq): Promise<void> => {
    await written(seq)
    await publish(seq)
  }
  await seedCounter(ports.sequencer, conversationId, 0)
  const stream = await domain.follow({ userId: bob, after: [] })
  const shown: Seq[] = []
  const reading = (async () => {
    for await (const { row } of stream) shown.push(row.seq)
  })()
  await nextTurn()
  return {
    clock,
    shown,
    voids,
    written,
    published,
    async passes(ms: number) {
      await clock.advance(ms)
      await nextTurn()
    },
    async stop() {
      await stream.return?.()
      await reading
    },
  }
}

function countingVoids(messages: Ports['messages'], voids: Seq[]): Ports['messages'] {
  return {
    ...messages,
    async put(row) {
      const outcome = await messages.put(row)
      if (row.kind === 'void' && outcome === 'written') voids.push(row.seq)
      return outcome
    },
  }
}

it('a number that never comes is void after 300 ms, and what came early is shown', async () => {
  const bob = await aReader()
  await bob.published(2)
  await bob.passes(299)
  expect([bob.shown, bob.voids]).toEqual([[], []])
  await bob.passes(1)
  expect([bob.shown, bob.voids]).toEqual([[2], [1]])
  await bob.stop()
})

it('a clock that is set back an hour makes nobody wait longer', async () => {
  const bob = await aReader()
  await bob.written(1)
  await bob.published(2)
  await bob.passes(100)
  bob.clock.stepWall(-3_600_000)
  await bob.passes(200)
  expect(bob.shown).toEqual([1, 2])
  await bob.stop()
})

it('in a busy chat no write of 120 ms is voided, whatever else is waited for', async () => {
  const bob = await aReader()
  // Every other write takes 80 ms longer, so that at any time some seq is missing and a later one is held.
  for (const pair of upTo(50)) {
    await bob.published(2 * pair)
    await bob.passes(40)
    if (pair > 1) await bob.published(2 * pair - 3)
    await bob.passes(40)
  }
  await bob.published(99)
  expect(bob.voids).toEqual([])
  expect(bob.shown).toEqual(upTo(100))
  await bob.stop()
})

it('a lost event does not cost the writes that are on their way when the log is read', async () => {
  const bob = await aReader()
  await bob.published(1)
  // The event of 2 is lost. The log is read 300 ms after 3 came: just then 5 is stored, and 4 is not yet.
  await bob.written(2)
  await bob.published(3)
  await bob.passes(299)
  await bob.written(5)
  await bob.passes(1)
  expect([bob.shown, bob.voids]).toEqual([[1, 2, 3], []])
  await bob.passes(100)
  await bob.published(4)
  expect([bob.shown, bob.voids]).toEqual([[1, 2, 3, 4, 5], []])
  await bob.stop()
})

it('a hole above a lost event has its own 300 ms', async () => {
  const bob = await aReader()
  await bob.written(1)
  await bob.published(2)
  await bob.written(4)
  await bob.passes(300)
  expect([bob.shown, bob.voids]).toEqual([[1, 2], []])
  await bob.passes(300)
  expect([bob.shown, bob.voids]).toEqual([[1, 2, 4], [3]])
  await bob.stop()
})

it('holes that are found together are waited for together', async () => {
  const bob = await aReader()
  await bob.written(1)
  await bob.published(2)
  for (const seq of [4, 6, 8]) await bob.written(seq)
  await bob.passes(600)
  expect([bob.shown, bob.voids]).toEqual([
    [1, 2, 4, 6, 8],
    [3, 5, 7],
  ])
  await bob.stop()
})

it('what came early when there was no room to hold it is read from the log, and soon', async () => {
  const bob = await aReader()
  for (const seq of upTo(70).slice(1)) await bob.published(seq)
  await bob.published(1)
  await bob.passes(300)
  expect(bob.shown).toEqual(upTo(70))
  await bob.stop()
})
