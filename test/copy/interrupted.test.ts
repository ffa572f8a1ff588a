import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { copy } from '../../src/copy/copy.ts'
import type { Target } from '../../src/copy/place.ts'
import { openKeyValueLmdb } from '../../src/engine/key-value/key-value.lmdb.ts'
import { readDeploymentId } from '../../src/store/deployment.ts'
import { createEmbeddedTable } from '../../src/store/embedded/table.ts'
import {
  contentOf,
  copyBetween,
  embeddedIn,
  fileAt,
  fill,
  newDynamoDb,
  otherTables,
  type TestPlace,
  temporaryDirectory,
  using,
} from './places.ts'

class Interrupted extends Error {}

/** Copies until so many batches were written, and then ends as a process that is killed: what it was about to write is not written. */
async function copySome(from: TestPlace, to: TestPlace, batches: number): Promise<void> {
  const interrupted = async (target: Target) => {
    let left = batches
    const write: Target['write'] = async (batch) => {
      if (left === 0) throw new Interrupted()
      left -= 1
      return target.write(batch)
    }
    return using(await from.source(), (source) => copy(source, { ...target, write }, () => undefined))
  }
  await expect(to.target().then((target) => using(target, interrupted))).rejects.toThrow(Interrupted)
}

/** Changes the store as a server would that goes on after the interruption. */
async function change(dataDir: string): Promise<void> {
  const engine = await openKeyValueLmdb({ directory: join(dataDir, 'store') })
  const messages = engine.table<Record<string, unknown>>('messages')
  const [[removed] = [], [changed] = []] = [...messages.entries()].slice(100)
  if (!removed || !changed) throw new Error('There are no messages.')
  await messages.update(removed, () => 'remove')
  await messages.update(changed, (row) => ({ ...row, body: 'changed since' }))
  await messages.update(['messages-new', 1], () => ({ conversation_id: 'messages-new', seq: 1, kind: 'void' }))
  await engine.close()
}

it.each([
  ['embedded', async (directory: string) => embeddedIn(join(directory, 'target'))],
  ['file', async (directory: string) => fileAt(join(directory, 'target.jsonl'))],
  ['dynamodb', () => newDynamoDb()],
] as const)('an interrupted copy to %s goes on and ends equal, also if the source has changed', async (_kind, open) => {
  const directory = await temporaryDirectory()
  const dataDir = join(directory, 'source')
  await fill(dataDir, 600)
  const source = embeddedIn(dataDir)
  const target = await open(directory)

  await copySome(source, target, 2)
  await copySome(source, target, 4)
  await change(dataDir)
  const { rows, written, isResumed } = await copyBetween(source, target)
  expect({ rows, isResumed }).toEqual({ rows: 600 + otherTables * 60, isResumed: true })
  expect(written).toBeLessThan(rows)
  expect(await contentOf(target)).toEqual(await contentOf(source))
})

it('what was written before the interruption is not written again', async () => {
  const directory = await temporaryDirectory()
  await fill(join(directory, 'source'), 600)
  for (const target of [
    embeddedIn(join(directory, 'target')),
    fileAt(join(directory, 'target.jsonl')),
    await newDynamoDb(),
  ]) {
    await copySome(embeddedIn(join(directory, 'source')), target, 2)
    const { rows, written } = await copyBetween(embeddedIn(join(directory, 'source')), target)
    expect(rows - written).toBe(500)
  }
})

it('no server starts on half a copy, and none is read from', async () => {
  const directory = await temporaryDirectory()
  await fill(join(directory, 'source'), 600)
  const target = embeddedIn(join(directory, 'target'))
  await copySome(embeddedIn(join(directory, 'source')), target, 2)

  const engine = await openKeyValueLmdb({ directory: join(directory, 'target', 'store') })
  const users = createEmbeddedTable(engine, 'users')
  const start = readDeploymentId({ get: async (key) => users.get(key), create: async () => undefined }, randomUUID)
  await expect(start).rejects.toThrow('the target of a copy that has not ended')
  await engine.close()
  await expect(target.source()).rejects.toThrow('is itself the target of a copy that has not ended.')
})

it('a target with rows of its own is left as it is', async () => {
  const directory = await temporaryDirectory()
  const [source, other] = [embeddedIn(join(directory, 'source')), embeddedIn(join(directory, 'other'))]
  await fill(join(directory, 'source'), 10, { deploymentId: 'ours' })
  await fill(join(directory, 'other'), 20, { deploymentId: 'theirs' })
  const before = await contentOf(other)
  await expect(copyBetween(source, other)).rejects.toThrow('holds another deployment, theirs: nothing was copied.')
  expect(await contentOf(other)).toEqual(before)

  const begun = embeddedIn(join(directory, 'begun'))
  await copySome(other, begun, 1)
  await expect(copyBetween(source, begun)).rejects.toThrow('holds part of a copy of another deployment, theirs')

  await fill(join(directory, 'nameless'), 10, { deploymentId: null })
  await expect(copyBetween(source, embeddedIn(join(directory, 'nameless')))).rejects.toThrow(
    'holds rows that are no copy of this deployment: nothing was copied.',
  )
})

it('a complete copy is not written to again: it may have gone on since', async () => {
  const directory = await temporaryDirectory()
  await fill(join(directory, 'source'), 10)
  for (const target of [
    embeddedIn(join(directory, 'target')),
    fileAt(join(directory, 'target.jsonl')),
    await newDynamoDb(),
  ]) {
    await copyBetween(embeddedIn(join(directory, 'source')), target)
    await expect(copyBetween(embeddedIn(join(directory, 'source')), target)).rejects.toThrow('nothing was copied.')
  }
})

it('two copies never write to one file, and a copy that was killed does not keep the next from it', async () => {
  const directory = await temporaryDirectory()
  await fill(join(directory, 'source'), 10)
  const [source, path] = [embeddedIn(join(directory, 'source')), join(directory, 'target.jsonl')]
  const other = spawn('sleep', ['60'])
  await writeFile(`${path}.lock`, String(other.pid))
  await expect(copyBetween(source, fileAt(path))).rejects.toThrow(
    `Another copy is writing to ${path}: process ${other.pid}. If it is none, remove ${path}.lock.`,
  )
  other.kill('SIGKILL')
  await once(other, 'exit')
  await copyBetween(source, fileAt(path))
  expect((await readdir(directory)).sort()).toEqual(['source', 'target.jsonl'])
})

it('a target that something else writes to does not become a complete copy', async () => {
  const directory = await temporaryDirectory()
  await fill(join(directory, 'source'), 10)
  const place = embeddedIn(join(directory, 'target'))
  const target = await place.target()
  const careless: Target = { ...target, write: (batch) => target.write({ ...batch, rows: batch.rows.slice(1) }) }
  await using(await embeddedIn(join(directory, 'source')).source(), async (source) =>
    expect(copy(source, careless, () => undefined)).rejects.toThrow(/differs from .* in messages \(10 rows, 9 there\)/),
  )
  await target.close()
  await expect(place.source()).rejects.toThrow('is itself the target of a copy that has not ended.')
})
