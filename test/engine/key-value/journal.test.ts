import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { openJournal, readJournal } from '../../../src/engine/key-value/journal.ts'
import { openKeyValueLmdb } from '../../../src/engine/key-value/key-value.lmdb.ts'
import { openSnapshotLmdb } from '../../../src/engine/key-value/snapshot.lmdb.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'parley-journal-'))
  onTestFinished(() => rm(directory, { recursive: true }))
})

/** Writes the texts, and turns to the other file at each `|`. Leaves the files as a kill would. */
async function written(texts: readonly string[]): Promise<void> {
  const journal = openJournal(directory)
  for (const text of texts) {
    if (text === '|') journal.turn()
    else
      await new Promise<void>((resolve, reject) => journal.write(text, (error) => (error ? reject(error) : resolve())))
  }
}

describe('the journal', () => {
  it('is read in the order in which it was written, over both files', async () => {
    await written(['one', 'two', '|', 'three', 'four', '|', 'five'])
    expect(readJournal(directory)).toEqual(['three', 'four', 'five'])
  })

  it('ends where a block is torn, and where an earlier use of the file shows', async () => {
    await written(['a long text that is overwritten only in part', 'two', '|', 'three', '|', 'four'])
    const path = join(directory, 'journal-1')
    const whole = await readFile(path)
    expect(readJournal(directory)).toEqual(['three', 'four'])
    const damaged = Buffer.from(whole)
    damaged.writeUInt8(damaged.readUInt8(whole.length - 1) ^ 1, whole.length - 1)
    await writeFile(path, damaged)
    expect(readJournal(directory)).toEqual(['four'])
    await writeFile(path, whole.subarray(0, whole.length - 1))
    expect(readJournal(directory)).toEqual(['four'])
  })

  it('leaves out the older file where the newer one does not follow it', async () => {
    await written(['one', 'two'])
    const earlier = await readFile(join(directory, 'journal-0'))
    await written(['one', 'two', '|', 'three', '|', 'four'])
    // A block in front of these was being overwritten when the power went, and they show again.
    await writeFile(join(directory, 'journal-1'), earlier)
    expect(readJournal(directory)).toEqual(['four'])
  })

  it('does not take what is left behind a torn first block for blocks of the next owner', async () => {
    await written(['old 1', 'old 2', '|', 'old 3'])
    // The power went while the first file was overwritten.
    const path = join(directory, 'journal-0')
    const torn = await readFile(path)
    torn.writeUInt8(torn.readUInt8(20) ^ 1, 20)
    await writeFile(path, torn)
    expect(readJournal(directory)).toEqual(['old 3'])
    await written(['new 1'])
    expect(readJournal(directory)).toEqual(['new 1'])
  })

  it('is emptied when it is opened and when it is closed', async () => {
    await written(['one'])
    const journal = openJournal(directory)
    expect(readJournal(directory)).toEqual([])
    journal.close()
    expect(readJournal(directory)).toEqual([])
  })

  it('is carried over by the next process that opens the rows, and by a snapshot where the owner is dead', async () => {
    const line = (sort: number, row?: object) => `["rows","a",${sort}]\t${row ? JSON.stringify(row) : ''}`
    const engine = await openKeyValueLmdb({ directory })
    await engine.table('rows').update(['a', 9], () => ({ of: 'before' }))
    await engine.close()
    await written([
      `${line(1, { body: 'two\nlines\tand a tab' })}\n${line(2, { n: 1 })}`,
      '|',
      `${line(2, { n: 2 })}\n${line(9)}`,
    ])
    const snapshot = await openSnapshotLmdb(directory, ['rows'])
    expect([...snapshot.table('rows').entries()]).toEqual([
      [['a', 1], { body: 'two\nlines\tand a tab' }],
      [['a', 2], { n: 2 }],
    ])
    await snapshot.close()
  })
})
