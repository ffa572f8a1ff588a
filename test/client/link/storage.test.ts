import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fileStorage } from '../../../packages/client/src/storage/file-storage.ts'
import { memoryStorage } from '../../../packages/client/src/storage/memory-storage.ts'
import type { Storage } from '../../../packages/client/src/storage/storage.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'parley-storage-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const path = () => join(directory, 'of', 'alice.json')
const changes = (entries: Record<string, unknown>) => new Map(Object.entries(entries))
const everything = async (storage: Storage) => Object.fromEntries(await storage.load())

/** `again`: the same storage in a later run. */
const kinds: [string, () => { storage: Storage; again: () => Storage }][] = [
  [
    'memory',
    () => {
      const storage = memoryStorage()
      return { storage, again: () => storage }
    },
  ],
  ['a file', () => ({ storage: fileStorage(path()), again: () => fileStorage(path()) })],
]

describe.each(kinds)('what is kept in %s', (_kind, open) => {
  it('is nothing at first', async () => {
    expect(await open().storage.load()).toEqual([])
  })

  it('is there in the next run', async () => {
    const { storage, again } = open()
    const value = { to: { userId: 'bob' }, body: 'ü\u{1F600}"\n', createdAtMs: 1, state: 'waiting' }
    await storage.write(changes({ 'outbox:1': value, 'position:dm_1': 7, device: true }))
    expect(await everything(again())).toEqual({ 'outbox:1': value, 'position:dm_1': 7, device: true })
  })

  it('is changed key by key', async () => {
    const { storage, again } = open()
    await storage.write(changes({ a: 1, b: 1, c: 1 }))
    await storage.write(changes({ a: 2, b: undefined, d: undefined }))
    expect(await everything(again())).toEqual({ a: 2, c: 1 })
  })

  it('is changed again and again by a run that has loaded it', async () => {
    const { storage, again } = open()
    await storage.write(changes({ a: 1 }))
    const later = again()
    await later.load()
    await later.write(changes({ b: 2 }))
    await later.write(changes({ c: 3 }))
    expect(await everything(again())).toEqual({ a: 1, b: 2, c: 3 })
  })

  it('is changed by a run that has not loaded it', async () => {
    const { storage, again } = open()
    await storage.write(changes({ a: 1, b: 1 }))
    const later = again()
    await later.write(changes({ b: 2 }))
    await later.write(changes({ c: 3 }))
    expect(await everything(again())).toEqual({ a: 1, b: 2, c: 3 })
  })

  it('does not change with what was handed over', async () => {
    const { storage } = open()
    const value = { state: 'waiting' }
    await storage.write(changes({ a: value }))
    value.state = 'failed'
    const [loaded] = await storage.load()
    expect(loaded).toEqual(['a', { state: 'waiting' }])
    Object.assign(loaded?.[1] as object, { state: 'failed' })
    expect(await storage.load()).toEqual([['a', { state: 'waiting' }]])
  })
})

describe('a file', () => {
  it('that a crash left half written beside it is neither read nor in the way', async () => {
    const storage = fileStorage(path())
    await storage.write(changes({ a: 1 }))
    await writeFile(`${path()}.new`, '[["a",2],["b')
    const next = fileStorage(path())
    expect(await everything(next)).toEqual({ a: 1 })
    await next.write(changes({ b: 3 }))
    expect(await everything(fileStorage(path()))).toEqual({ a: 1, b: 3 })
    expect(await readdir(join(directory, 'of'))).toEqual(['alice.json'])
  })

  it('whose change could not be written is as it was, and what failed is not taken for kept', async () => {
    const storage = fileStorage(path())
    await storage.write(changes({ a: 1 }))
    await mkdir(`${path()}.new`)
    await expect(storage.write(changes({ a: 2, b: 2 }))).rejects.toThrow()
    expect(await everything(fileStorage(path()))).toEqual({ a: 1 })
    await rm(`${path()}.new`, { recursive: true })
    await storage.write(changes({ c: 3 }))
    expect(await everything(fileStorage(path()))).toEqual({ a: 1, c: 3 })
  })

  it('that is broken is said to be, and is not written over: what is left of it may be saved by hand', async () => {
    await mkdir(join(directory, 'of'))
    await writeFile(path(), '[["outbox:1",{"bo')
    const storage = fileStorage(path())
    await expect(storage.load()).rejects.toThrow(SyntaxError)
    await expect(storage.write(changes({ a: 1 }))).rejects.toThrow(SyntaxError)
    expect(await readFile(path(), 'utf8')).toBe('[["outbox:1",{"bo')
  })
})
