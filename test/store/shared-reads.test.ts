import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { LogRow, MessageLog } from '../../src/ports/log.ts'
import { createMessagesDynamo } from '../../src/store/dynamo/messages.ts'
import { createSharedReads } from '../../src/store/dynamo/shared-reads.ts'
import { createTables } from '../../src/store/dynamo/table-setup.ts'
import type { Dynamo } from '../../src/store/rows/tables.ts'
import { aConversation, aMessage } from '../kit/ids.ts'
import { connectDynamo } from '../kit/services/dynamodb.ts'
import { sharedService } from '../kit/shared-services.ts'

/** Reads that end when the test says. Each finds what was there when it began. */
function aSource() {
  let stored = 0
  const begun: { end: () => void; fail: (error: Error) => void }[] = []
  const read = (): Promise<number> => {
    const found = stored
    return new Promise((resolve, reject) => {
      begun.push({ end: () => resolve(found), fail: reject })
    })
  }
  const write = () => {
    stored += 1
  }
  return { begun, read, write }
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

describe('reads of the same thing', () => {
  test('that are asked for while one is under way share the next one, which sees what was written before they asked', async () => {
    const { begun, read, write } = aSource()
    const share = createSharedReads<number>()
    const first = share('page', read)
    write()
    const later = Array.from({ length: 1000 }, () => share('page', read))
    expect(begun).toHaveLength(1)
    begun[0]?.end()
    expect(await first).toBe(0)
    await nextTurn()
    expect(begun).toHaveLength(2)
    write()
    const last = share('page', read)
    begun[1]?.end()
    expect(new Set(await Promise.all(later))).toEqual(new Set([1]))
    await nextTurn()
    begun[2]?.end()
    expect(await last).toBe(2)
    expect(begun).toHaveLength(3)
  })

  test('that follow each other are made each for itself', async () => {
    const { begun, read } = aSource()
    const share = createSharedReads<number>()
    for (let i = 0; i < 3; i += 1) {
      const found = share('page', read)
      begun[i]?.end()
      await found
      await nextTurn()
    }
    expect(begun).toHaveLength(3)
  })

  test('fail for those who share the one that failed, and for nobody else', async () => {
    const { begun, read } = aSource()
    const share = createSharedReads<number>()
    const first = share('page', read)
    const second = [share('page', read), share('page', read)]
    begun[0]?.fail(new Error('first'))
    await expect(first).rejects.toThrow('first')
    await nextTurn()
    const third = share('page', read)
    begun[1]?.fail(new Error('second'))
    for (const each of second) await expect(each).rejects.toThrow('second')
    await nextTurn()
    begun[2]?.end()
    expect(await third).toBe(0)
  })

  test('that are patient share one if they are asked for in one turn, and it sees what was written before it began', async () => {
    const { begun, read, write } = aSource()
    const share = createSharedReads<number>({ patient: true })
    const first = share('page', read)
    write()
    const second = Promise.resolve().then(() => share('page', read))
    await nextTurn()
    expect(begun).toHaveLength(1)
    write()
    const late = share('page', read)
    begun[0]?.end()
    expect(await Promise.all([first, second])).toEqual([1, 1])
    await nextTurn()
    begun[1]?.end()
    expect(await late).toBe(2)
    expect(begun).toHaveLength(2)
  })

  test('of different things do not wait for each other', () => {
    const { begun, read } = aSource()
    const share = createSharedReads<number>()
    void share('one', read)
    void share('other', read)
    expect(begun).toHaveLength(2)
  })
})

describe.each(['lean', 'sdk'] as const)('pages of a log, by the %s client', (wire) => {
  let dynamo: Dynamo
  let queries = 0
  /** Ends the first query, whose answer is held back. */
  let releases: (() => void)[] = []
  let messages: MessageLog
  beforeAll(async () => {
    const plain = connectDynamo(await sharedService('dynalite'), { wire })
    await createTables(plain)
    const call: typeof plain.client.call = async (operation, ...rest) => {
      const answer = await plain.client.call(operation, ...rest)
      if (operation !== 'Query') return answer
      queries += 1
      if (queries === 1) {
        await new Promise<void>((resolve) => {
          releases.push(resolve)
        })
      }
      return answer
    }
    dynamo = { ...plain, client: { ...plain.client, call } }
    messages = createMessagesDynamo(dynamo)
  })
  afterAll(() => dynamo.client.close())

  const ways: [name: string, read: (log: MessageLog, id: LogRow['conversationId']) => Promise<readonly LogRow[]>][] = [
    ['above', (log, id) => log.above(id, 0, 10)],
    ['below', (log, id) => log.below(id, 100, 10)],
  ]
  test.each(ways)(
    '%s: whoever asks after a write was acknowledged sees it, though a read is under way',
    async (_name, read) => {
      const id = aConversation()
      const seqsOf = (rows: readonly LogRow[]) => rows.map(({ seq }) => seq).sort()
      await messages.put(aMessage(id, 1))
      queries = 0
      releases = []
      const early = read(messages, id)
      await expect.poll(() => releases).toHaveLength(1)
      await messages.put(aMessage(id, 2))
      const late = Array.from({ length: 100 }, () => read(messages, id))
      releases[0]?.()
      expect(seqsOf(await early)).toEqual([1])
      const pages = await Promise.all(late)
      expect(pages.map(seqsOf)).toEqual(pages.map(() => [1, 2]))
      expect(queries).toBe(2)
      expect(new Set(pages).size).toBe(1)
    },
  )
})
