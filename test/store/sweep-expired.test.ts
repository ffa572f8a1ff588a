import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openKeyValueLmdb } from '../../src/engine/key-value/key-value.lmdb.ts'
import { createKeyValueMemory } from '../../src/engine/key-value/key-value.memory.ts'
import type { KeyValue } from '../../src/engine/key-value/key-value.ts'
import type { ClientMessageId, UserId } from '../../src/protocol/ids.ts'
import { createStoresEmbedded } from '../../src/store/embedded/stores.ts'
import { createSweepExpired } from '../../src/store/embedded/sweep-expired.ts'
import { aConversation, aVoid, upTo } from '../kit/ids.ts'

const dayMs = 24 * 60 * 60_000
const alice = 'alice' as UserId

async function openLmdb(): Promise<KeyValue> {
  const directory = await mkdtemp(join(tmpdir(), 'parley-sweep-'))
  const engine = await openKeyValueLmdb({ directory })
  onTestFinished(() => engine.close().then(() => rm(directory, { recursive: true })))
  return engine
}

describe.each([
  { name: 'memory', open: async () => createKeyValueMemory() },
  { name: 'LMDB', open: openLmdb },
])('the sweep of claims on $name', ({ open }) => {
  async function setUp() {
    let nowMs = 1_790_000_000_000
    const clock = { now: () => nowMs, monotonic: () => nowMs }
    const engine = await open()
    const storesWith = (ttlDays: number) => createStoresEmbedded(engine, { rows: { form: 'short', ttlDays }, clock })
    const ids = (word: string) => upTo(400).map((n) => `${word}-${n}` as ClientMessageId)
    const conversationId = aConversation()
    return {
      sweep: createSweepExpired(engine, 'sends', clock),
      pass: (ms: number) => {
        nowMs += ms
      },
      async claim(ttlDays: number, word: string): Promise<void> {
        const { claims, messages } = storesWith(ttlDays)
        const claim = (clientMessageId: ClientMessageId) =>
          claims.claim({ senderId: alice, clientMessageId, conversationId, seq: 1, payloadHash: 'h' })
        await Promise.all(ids(word).map(claim))
        // A claim is answered before it is on the disk, where the sweep finds it. This is answered after.
        await messages.put(aVoid(aConversation(), 1))
      },
      async left(word: string): Promise<number> {
        const found = await Promise.all(ids(word).map((id) => storesWith(0).claims.get(alice, id)))
        return found.filter((claim) => claim !== undefined).length
      },
    }
  }

  test('removes in several steps what is over, and nothing else', async () => {
    const { sweep, pass, claim, left } = await setUp()
    await claim(10, 'old')
    await claim(0, 'for-ever')
    pass(9 * dayMs)
    await claim(10, 'young')
    for (let step = 0; step < 5; step += 1) await sweep()
    expect([await left('old'), await left('for-ever'), await left('young')]).toEqual([400, 400, 400])

    pass(dayMs + 1000)
    await sweep()
    expect(await left('old')).toBeGreaterThan(0)
    for (let step = 0; step < 5; step += 1) await sweep()
    expect([await left('old'), await left('for-ever'), await left('young')]).toEqual([0, 400, 400])
  })
})
