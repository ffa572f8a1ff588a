import { existsSync } from 'node:fs'
import { type FileHandle, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { firstLine, lastLine, linesOf, readFirstLine, readLine, rowLine } from './file-format.ts'
import { type Batch, CopyError, type Progress, type Row, type Source, type Target } from './place.ts'
import { createTally, differences } from './tally.ts'

const batchSize = 250

/** Opens a file after it was read to its end once: nothing is copied out of one that was cut short or damaged. */
export async function openFileSource(path: string, onProgress: Progress): Promise<Source> {
  const name = `file:${path}`
  if (!existsSync(path)) throw new CopyError(`There is no file ${path}.`)
  const deploymentId = await check(name, path, onProgress)
  return { name, deploymentId, batches: () => batchesOf(name, path), close: async () => undefined }
}

async function check(name: string, path: string, onProgress: Progress): Promise<string | undefined> {
  const tally = createTally()
  let number = 0
  let deploymentId: string | undefined
  let isEnded = false
  for await (const text of linesOf(path)) {
    number += 1
    if (number === 1) {
      deploymentId = readFirstLine(name, text)
      continue
    }
    if (isEnded) throw new CopyError(`${name} is damaged: line ${number} comes after its last line.`)
    const line = readLine(name, text, number)
    if ('end' in line) {
      isEnded = true
      const found = tally.totals()
      const wrong = differences({ ...found, ...line.end }, found)
      if (wrong.length > 0)
        throw new CopyError(`${name} is damaged: its rows are not those of its last line: ${wrong.join(', ')}.`)
    } else {
      tally.add({ table: line.table, rows: [line.row] })
      onProgress('read', line.table, number - 1)
    }
  }
  if (number === 0) readFirstLine(name, undefined)
  if (!isEnded) throw new CopyError(`${name} was cut short after line ${number}: its last line is missing.`)
  return deploymentId
}

async function* batchesOf(name: string, path: string): AsyncGenerator<Batch> {
  let number = 0
  let batch: { table: Batch['table']; rows: Row[] } | undefined
  for await (const text of linesOf(path)) {
    number += 1
    if (number === 1) continue
    const line = readLine(name, text, number)
    if ('end' in line) break
    if (batch && (batch.table !== line.table || batch.rows.length === batchSize)) {
      yield batch
      batch = undefined
    }
    batch ??= { table: line.table, rows: [] }
    batch.rows.push(line.row)
  }
  if (batch) yield batch
}

/**
 * Writes to `<path>.partial`, which gets its name when it is complete. If there is one of an interrupted copy, its lines are compared with
 * those that would be written, and writing begins at the first that differs.
 */
export async function openFileTarget(path: string): Promise<Target> {
  const name = `file:${path}`
  const unlock = await lock(path)
  const partial = `${path}.partial`
  if (existsSync(path)) {
    await unlock()
    throw new CopyError(`${path} exists already: nothing was copied.`)
  }
  const isThere = existsSync(partial)
  const file = await openPartial(partial, isThere).catch(async (error) => {
    await unlock()
    throw cannotWrite(partial, error)
  })
  let earlier: AsyncGenerator<string> | undefined = isThere ? linesOf(partial) : undefined
  /** So many bytes of the file are as they should be. */
  let length = 0

  /** Returns whether the line was not there yet. */
  async function put(lines: readonly string[]): Promise<number> {
    let same = 0
    while (earlier && same < lines.length) {
      const { value } = await earlier.next()
      if (value !== lines[same]) await forgetTheRest()
      else {
        length += Buffer.byteLength(value) + 1
        same += 1
      }
    }
    const rest = Buffer.from(
      lines
        .slice(same)
        .map((line) => `${line}\n`)
        .join(''),
    )
    for (let from = 0; from < rest.length; ) {
      const { bytesWritten } = await file.write(rest, from, rest.length - from, length + from)
      from += bytesWritten
    }
    length += rest.length
    return lines.length - same
  }

  async function forgetTheRest(): Promise<void> {
    await earlier?.return(undefined)
    earlier = undefined
    await file.truncate(length)
  }

  return {
    name,
    async begin(deploymentId) {
      return { isResumed: (await put([firstLine(deploymentId)])) === 0 }
    },
    write: ({ table, rows }) => put(rows.map((row) => rowLine(table, row))),
    async *batches() {
      await forgetTheRest()
      yield* batchesOf(name, partial)
    },
    async complete(_deploymentId, totals) {
      await forgetTheRest()
      await put([lastLine(totals)])
      await file.sync()
      await rename(partial, path)
      await syncDirectory(dirname(path))
    },
    async close() {
      await file.close()
      await unlock()
    },
  }
}

const openPartial = (partial: string, isThere: boolean): Promise<FileHandle> =>
  open(partial, isThere ? 'r+' : 'w+', 0o600)

/**
 * Lets one copy at a time write to the file: a second one would go on in the file of the first, also when that is complete. The lock holds the id
 * of the process, so that one of a process that was killed does not count.
 */
async function lock(path: string): Promise<() => Promise<void>> {
  const own = `${path}.lock`
  for (;;) {
    try {
      await writeFile(own, String(process.pid), { flag: 'wx', mode: 0o600 })
      return () => rm(own, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw cannotWrite(own, error)
    }
    const holder = await readFile(own, 'utf8').catch(() => '')
    if (isRunning(Number(holder)))
      throw new CopyError(`Another copy is writing to ${path}: process ${holder}. If it is none, remove ${own}.`)
    await rm(own, { force: true })
  }
}

function isRunning(pid: number): boolean {
  if (pid === process.pid) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

const cannotWrite = (path: string, error: unknown): CopyError =>
  new CopyError(`${path} cannot be written: ${error instanceof Error ? error.message : error}`)

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r')
  await directory.sync().finally(() => directory.close())
}
