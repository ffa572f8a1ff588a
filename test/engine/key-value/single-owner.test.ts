import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openJournal } from '../../../src/engine/key-value/journal.ts'
import { openKeyValueLmdb } from '../../../src/engine/key-value/key-value.lmdb.ts'
import { AlreadyOwnedError } from '../../../src/engine/key-value/single-owner.ts'
import { openSnapshotLmdb } from '../../../src/engine/key-value/snapshot.lmdb.ts'

let directory: string
const owners: ChildProcess[] = []
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'parley-own-'))
})
afterEach(async () => {
  for (const each of owners.splice(0)) await end(each)
  await rm(directory, { recursive: true })
})

const script = `
  import { openKeyValueLmdb } from './src/engine/key-value/key-value.lmdb.ts'
  openKeyValueLmdb({ directory: process.argv[1] }).then(
    () => { console.log('owned'); setInterval(() => undefined, 1000) },
    (error) => { console.log(error.constructor.name); process.exit(0) },
  )`

/** It has a row in its journal, and its next block never ends, so that it never answers. */
const scriptOfSilent = `
  import fs from 'node:fs'
  import { syncBuiltinESMExports } from 'node:module'
  import { openKeyValueLmdb } from './src/engine/key-value/key-value.lmdb.ts'
  const rows = (await openKeyValueLmdb({ directory: process.argv[1] })).table('rows')
  await rows.update(['a', 1], () => ({ value: 'answered' }))
  fs.write = () => undefined
  syncBuiltinESMExports()
  rows.update(['a', 2], () => ({ value: 'under way' }))
  setImmediate(() => setImmediate(() => console.log('owned')))
  setInterval(() => undefined, 1000)`

/** Starts another process that wants the directory, and returns what it says. */
async function otherProcess(run = script): Promise<{ says: string; process: ChildProcess }> {
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', run, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  owners.push(child)
  const [text] = (await once(child.stdout, 'data')) as [Buffer]
  return { says: String(text).trim(), process: child }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

const own = () => openKeyValueLmdb({ directory })

it('a directory has one owner, also while the owner is stopped, and another once it is killed', async () => {
  const first = await otherProcess()
  expect(first.says).toBe('owned')
  await expect(own()).rejects.toThrow(AlreadyOwnedError)
  first.process.kill('SIGSTOP')
  await expect(own()).rejects.toThrow(AlreadyOwnedError)
  await end(first.process)
  const second = await own()
  expect((await otherProcess()).says).toBe('AlreadyOwnedError')
  await second.close()
  expect((await readdir(directory)).filter((name) => name.endsWith('.sock'))).toEqual([])
})

it('of several that find a dead owner at once, one becomes the owner', async () => {
  const dead = await otherProcess()
  await end(dead.process)
  const said = await Promise.all([otherProcess(), otherProcess(), otherProcess()])
  expect(said.map(({ says }) => says).sort()).toEqual(['AlreadyOwnedError', 'AlreadyOwnedError', 'owned'])
})

it('what is being written when the owner leaves is there when the directory has no owner, and nothing comes after', async () => {
  const engine = await own()
  const rows = engine.table<{ value: string }>('rows')
  const written = rows.update(['a', 1], () => ({ value: 'under way' }))
  const closed = engine.close()
  await expect(rows.update(['b', 1], () => ({ value: 'too late' }))).rejects.toThrow('The store is being closed.')
  await Promise.all([written, closed])
  const next = await own()
  expect([...next.table('rows').entries()]).toEqual([[['a', 1], { value: 'under way' }]])
  await next.close()
})

it.each(['SIGCONT', 'SIGSTOP'] as const)(
  'a snapshot has what an owner had answered that was killed while it was asked, after %s',
  async (signal) => {
    const owner = await otherProcess(scriptOfSilent)
    // One that is stopped does not even accept.
    owner.process.kill(signal)
    const opened = openSnapshotLmdb(directory, ['rows'])
    await sleep(300)
    await end(owner.process)
    const snapshot = await opened
    expect(snapshot.isOwned).toBe(false)
    expect([...snapshot.table('rows').entries()]).toEqual([[['a', 1], { value: 'answered' }]])
    await snapshot.close()
  },
)

it('a process that cannot carry the journal over does not keep the directory', async () => {
  await (await own()).close()
  const journal = openJournal(directory)
  await new Promise<void>((resolve) => journal.write('this is no row', () => resolve()))
  await expect(own()).rejects.toThrow('not valid JSON')
  await expect(openSnapshotLmdb(directory, ['rows'])).rejects.toThrow(`the journal in ${directory} alone could not be`)
  expect((await readdir(directory)).filter((name) => name.endsWith('.sock'))).toEqual([])
  journal.close()
  await (await own()).close()
})
