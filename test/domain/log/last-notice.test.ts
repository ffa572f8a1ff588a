import { expect, it } from 'vitest'
import { createLog } from '../../../src/domain/log/log.ts'
import { nullObserver } from '../../../src/domain/observer.ts'
import { createKeyValueMemory } from '../../../src/engine/key-value/key-value.memory.ts'
import type { Seq } from '../../../src/protocol/ids.ts'
import { createStoresEmbedded } from '../../../src/store/embedded/stores.ts'
import { aConversation, aGroupChange, aMessage, upTo } from '../../kit/ids.ts'
import { instantClock } from '../../kit/memory-domain.ts'

/** A log with a message at 1 and 2,000 group changes above it. */
async function longLog() {
  const { messages } = createStoresEmbedded(createKeyValueMemory())
  const id = aConversation()
  let reads = 0
  const below: typeof messages.below = (...asked) => {
    reads += 1
    return messages.below(...asked)
  }
  await messages.put(aMessage(id, 1))
  for (const seq of upTo(2000)) await messages.put(aGroupChange(id, seq + 1))
  const log = createLog({ messages: { ...messages, below }, clock: instantClock(), observer: nullObserver })
  return {
    last: (floor: Seq, tookEffect: (seq: Seq) => boolean) =>
      log.lastMessageOrGroupChange(id, { before: 2002, floor }, async ({ seq }) => tookEffect(seq)),
    reads: () => reads,
  }
}

it('the last notice is found behind many changes that did not take effect, in few reads', async () => {
  const log = await longLog()
  expect(await log.last(0, (seq) => seq === 7)).toBe(7)
  expect(await log.last(0, () => false)).toBe(1)
  expect(log.reads()).toBeLessThanOrEqual(20)
})

it('it is not looked for below what the reader may see', async () => {
  const log = await longLog()
  expect(await log.last(1990, () => false)).toBe(0)
  expect(await log.last(1990, (seq) => seq === 1990)).toBe(0)
  expect(log.reads()).toBeLessThanOrEqual(4)
})
