import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openKeyValueLmdb } from '../../../src/engine/key-value/key-value.lmdb.ts'
import { AlreadyOwnedError } from '../../../src/engine/key-value/single-owner.ts'

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

/** Starts another process that wants the directory, and returns what it says. */
async function otherProcess(): Promise<{ says: string; process: ChildProcess }> {
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script, directory], {
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
