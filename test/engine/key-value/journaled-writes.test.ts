import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from 'lmdb'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { readJournal } from '../../../src/engine/key-value/journal.ts'
import { createJournaledWrites, type TableState } from '../../../src/engine/key-value/journaled-writes.ts'
import { KeyMap } from '../../../src/engine/key-value/key-map.ts'

// The journal is real. LMDB is as slow as a test wants, and fails when a test wants it.

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'parley-writes-'))
  onTestFinished(() => rm(directory, { recursive: true }))
})

function setup(put: () => Promise<boolean>) {
  const database = { put, remove: put } as unknown as Database<string, never>
  const onFailed = vi.fn()
  const inTransaction = () => undefined
  const writes = createJournaledWrites({ directory, openDatabase: () => database, inTransaction, onFailed })
  const table: TableState = { name: 'rows', database, unwritten: new KeyMap(), recent: new KeyMap() }
  return { writes, table, onFailed }
}

it('after a failure it does not say that what it has answered is stored, and writes nothing more', async () => {
  let fail: (error: Error) => void = () => undefined
  const held = new Promise<boolean>((_resolve, reject) => {
    fail = reject
  })
  const put = vi.fn(() => held)
  const { writes, table, onFailed } = setup(put)
  await writes.write(table, ['a', 1], { n: 1 }).written
  const stored = writes.stored()
  await vi.waitFor(() => expect(put).toHaveBeenCalled())
  fail(new Error('the disk is full'))
  // A block is planned already, and the failure is seen before it begins.
  const late = writes.write(table, ['a', 2], { n: 2 }).written
  await expect(late).rejects.toThrow('the disk is full')
  expect(await stored).toBe(false)
  await vi.waitFor(() => expect(onFailed).toHaveBeenCalledExactlyOnceWith(new Error('the disk is full')))
  expect(await writes.close()).toBe(false)
  expect(readJournal(directory)).toEqual(['["rows","a",1]\t{"n":1}'])
  expect(() => writes.assertWritable()).toThrow('An earlier write failed')
})

it('writes wait for LMDB where it is far behind, so that the journal and the memory do not grow', async () => {
  let goOn: () => void = () => undefined
  const held = new Promise<boolean>((resolve) => {
    goOn = () => resolve(true)
  })
  const { writes, table } = setup(() => held)
  const text = 'x'.repeat(1024 * 1024)
  let answered = 0
  await writes.write(table, ['a', 0], { n: 1 }).written
  void writes.stored()
  const all = (async () => {
    for (let n = 1; n <= 20; n += 1) {
      await writes.write(table, ['a', n], { text }).written
      answered = n
    }
  })()
  await vi.waitFor(() => expect(answered).toBe(16), { timeout: 20_000 })
  // A block takes a few turns of the event loop.
  for (let turn = 0; turn < 1000; turn += 1) await new Promise(setImmediate)
  expect(answered).toBe(16)
  const closed = all.then(writes.close)
  goOn()
  expect(await closed).toBe(true)
  expect(answered).toBe(20)
  expect([...table.recent.values(), ...table.unwritten.values()]).toEqual([])
})
