import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openKeyValueLmdb } from '../../src/engine/key-value/key-value.lmdb.ts'
import { createKeyValueMemory } from '../../src/engine/key-value/key-value.memory.ts'
import type { ConversationId } from '../../src/protocol/ids.ts'
import { createMessagesEmbedded } from '../../src/store/embedded/messages.ts'
import { aMessage } from '../kit/ids.ts'

const chat = 'dm_pages' as ConversationId
const [end, limit] = [1_000_000, 20]

it('a page that is asked for again is the same until its log is written, and then a new one, also of a row that was being written', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'parley-pages-'))
  const engine = await openKeyValueLmdb({ directory })
  const messages = createMessagesEmbedded(engine)
  const seqs = async () => (await messages.below(chat, end, limit)).map(({ seq }) => seq)
  await messages.put(aMessage(chat, 1))
  await messages.below(chat, end, limit)
  const page = await messages.below(chat, end, limit)
  expect(await messages.below(chat, end, limit)).toBe(page)

  const writing = messages.put(aMessage(chat, 2))
  expect(await seqs()).toEqual([1])
  await writing
  expect(await seqs()).toEqual([2, 1])

  // Each of these is answered in its own turn; whoever has an answer sees what it is about.
  await Promise.all(
    [3, 4, 5, 6].map((seq) => messages.put(aMessage(chat, seq)).then(async () => expect(await seqs()).toContain(seq))),
  )

  const edit = {
    ...aMessage(chat, 7),
    kind: 'change' as const,
    targetSeq: 6,
    alteration: { type: 'edit' as const, body: 'edited' },
  }
  await messages.put(edit)
  await messages.alter(edit)
  expect((await messages.below(chat, end, limit)).find(({ seq }) => seq === 6)).toMatchObject({ body: 'edited' })
  await engine.close()
  await rm(directory, { recursive: true })
})

it.each([
  ['short', 'hi', true],
  ['long', '😀'.repeat(4096), false],
])('pages of %s texts take no more memory than meant', async (_kind, body, isKept) => {
  const messages = createMessagesEmbedded(createKeyValueMemory())
  const chats = Array.from({ length: 10 }, (_, i) => `dm_${i}` as ConversationId)
  for (const each of chats) for (let seq = 1; seq <= 100; seq += 1) await messages.put({ ...aMessage(each, seq), body })
  const pageOf = (each: ConversationId) => messages.below(each, end, 100)
  const first = chats[0] as ConversationId
  await pageOf(first)
  const page = await pageOf(first)
  for (const each of [...chats.slice(1), ...chats.slice(1)]) await pageOf(each)
  expect((await pageOf(first)) === page).toBe(isKept)
})
