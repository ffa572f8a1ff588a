import { existsSync } from 'node:fs'
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openKeyValueLmdb } from '../../../src/engine/key-value/key-value.lmdb.ts'

async function aDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'parley-file-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  return directory
}

it.each([
  ['zeros', (path: string) => writeFile(path, Buffer.alloc(8192))],
  ['another text', (path: string) => writeFile(path, 'hello '.repeat(5000))],
  ['nothing', (path: string) => truncate(path, 0)],
  ['half of its beginning', (path: string) => truncate(path, 4096)],
])('a file that holds %s is an error that names it, and stays as it is', async (_what, damage) => {
  const directory = await aDirectory()
  await openKeyValueLmdb({ directory }).close()
  await damage(join(directory, 'data.mdb'))
  expect(() => openKeyValueLmdb({ directory })).toThrow(`${join(directory, 'data.mdb')} is damaged`)
  expect(existsSync(join(directory, 'data.mdb'))).toBe(true)
})

it('a file that was being made when the power went is made anew', async () => {
  const directory = await aDirectory()
  await writeFile(join(directory, 'creating'), '')
  await writeFile(join(directory, 'data.mdb'), Buffer.alloc(8192))
  const engine = openKeyValueLmdb({ directory: join(directory) })
  await engine.table('rows').update(['a', 1], () => ({ is: 'there' }))
  expect(existsSync(join(directory, 'creating'))).toBe(false)
  await engine.close()
})

it('a whole file is kept, also beside the mark that it is being made', async () => {
  const directory = await aDirectory()
  const first = openKeyValueLmdb({ directory })
  await first.table('rows').update(['a', 1], () => ({ is: 'there' }))
  await first.close()
  await writeFile(join(directory, 'creating'), '')
  const second = openKeyValueLmdb({ directory })
  expect(second.table('rows').get(['a', 1])).toEqual({ is: 'there' })
  expect(existsSync(join(directory, 'creating'))).toBe(false)
  await second.close()
})
