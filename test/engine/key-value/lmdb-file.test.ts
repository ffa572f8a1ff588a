import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, truncate, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it, onTestFinished, vi } from 'vitest'
import { openKeyValueLmdb } from '../../../src/engine/key-value/key-value.lmdb.ts'
import { bundle } from '../../crash/bundle.ts'

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
  await (await openKeyValueLmdb({ directory })).close()
  await damage(join(directory, 'data.mdb'))
  await expect(openKeyValueLmdb({ directory })).rejects.toThrow(`${join(directory, 'data.mdb')} is damaged`)
  expect(existsSync(join(directory, 'data.mdb'))).toBe(true)
})

it('what is left of a file that was being made when the power went does not matter, and goes', async () => {
  const directory = await aDirectory()
  const [old, young] = [join(directory, '1.making'), join(directory, '2.making')]
  for (const place of [old, young]) {
    await mkdir(place)
    await writeFile(join(place, 'data.mdb'), Buffer.alloc(4096))
  }
  await utimes(old, 0, 0)
  const engine = await openKeyValueLmdb({ directory })
  await engine.table('rows').update(['a', 1], () => ({ is: 'there' }))
  await engine.close()
  // Somebody may still be at it.
  expect((await readdir(directory)).sort()).toEqual(['2.making', 'data.mdb', 'journal-0', 'journal-1', 'lock.mdb'])
})

it('processes that start at once on a new directory all find one whole file', { timeout: 60_000 }, async () => {
  const script = await bundle('opener.ts')
  onTestFinished(script.remove)
  const openers = Array.from({ length: 3 }, () => createOpener(script.path))
  onTestFinished(() => Promise.all(openers.map(({ end }) => end())).then(() => undefined))
  for (let round = 0; round < 40; round += 1) {
    const directory = join(await aDirectory(), 'store')
    const atMs = Date.now() + 20
    const found = await Promise.all(openers.map(({ open }) => open({ directory, atMs })))
    expect(new Set(found).size, found.join(', ')).toBe(1)
    expect(Number(found[0])).toBeGreaterThan(0)
  }
})

it('a reader that was killed is forgotten, so that the file does not grow because of it', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const directory = await aDirectory()
  const engine = await openKeyValueLmdb({ directory })
  await engine.table('rows').update(['a', 1], () => ({ is: 'there' }))
  const script = `
    import { openSnapshotLmdb } from './src/engine/key-value/snapshot.lmdb.ts'
    const snapshot = await openSnapshotLmdb(process.argv[1], ['rows'])
    console.log([...snapshot.table('rows').entries()].length)
    setInterval(() => undefined, 1000)`
  const reader = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(reader.stdout, 'data')
  const readers = () => engine.environment.readerList()
  expect(readers()).toContain(` ${reader.pid} `)
  reader.kill('SIGKILL')
  await once(reader, 'exit')
  expect(readers()).toContain(` ${reader.pid} `)
  vi.advanceTimersByTime(10_000)
  expect(readers()).not.toContain(` ${reader.pid} `)
  await engine.close()
})

function createOpener(path: string) {
  const child = spawn(process.execPath, [path], { stdio: ['pipe', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    async open(task: { directory: string; atMs: number }): Promise<string> {
      child.stdin.write(`${JSON.stringify(task)}\n`)
      return (await answers.next()).value ?? 'the process has died'
    },
    async end() {
      child.stdin.end()
      await exited
    },
  }
}
