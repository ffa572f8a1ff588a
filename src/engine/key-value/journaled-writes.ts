import type { Database, Key as LmdbKey } from 'lmdb'
import { openJournal, readJournal } from './journal.ts'
import type { KeyMap } from './key-map.ts'
import type { Key, Row } from './key-value.ts'

// The way of a row to the disk.
//
// unwritten   it is decided, and not on the disk yet. Only later decisions see it.
// recent      it is in the journal, and so on the disk. All see it.
// stored      it is in LMDB as well: a checkpoint has put it there, together with what else was recent.

export type TableState = {
  name: string
  database: Database<string, LmdbKey>
  unwritten: KeyMap<Unwritten>
  recent: KeyMap<Recent>
}

/** A row that is on its way to the journal; undefined where it is being removed. */
export type Unwritten = { row: Row | undefined; written: Promise<void> }
/** A row that is in the journal, as JSON; undefined where it was removed. */
export type Recent = { key: Key; text: string | undefined }

type Write = { table: TableState; recent: Recent; unwritten: Unwritten }

/** All that waits for the same block. */
type Batch = { writes: Write[]; written: Promise<void>; settle: (error?: unknown) => void }

/** A checkpoint comes so long after the first row that needs it, or as soon as there are so many. */
const checkpointAfterMs = 100
const checkpointRows = 500
/** With so much in the journal, writes wait for the checkpoint: LMDB is slower, and memory and the journal would grow as long as it is. */
const journalMaxBytes = 16 * 1024 * 1024

type Options = {
  directory: string
  openDatabase: (name: string) => Database<string, LmdbKey>
  inTransaction: (work: () => void) => void
  onFailed: ((error: unknown) => void) | undefined
}

export type JournaledWrites = ReturnType<typeof createJournaledWrites>

/** Carries over what the journal holds. This process must own the directory. */
export function createJournaledWrites(options: Options) {
  const { directory, onFailed } = options
  carryOver(readJournal(directory), options)
  const journal = openJournal(directory)
  let waiting = createBatch()
  /** It is being written to the journal. */
  let underWay: Batch | undefined
  let isScheduled = false
  /** How many rows no checkpoint has taken yet. */
  let recentCount = 0
  let running: Promise<void> | undefined
  const checkpoints = { begun: 0, ended: 0 }
  let isWanted = false
  let timer: NodeJS.Timeout | undefined
  let failure: { error: unknown } | undefined
  let isEnding = false
  const touched = new Set<TableState>()

  function assertWritable(): void {
    if (failure) throw new Error('An earlier write failed, so nothing more is written.', { cause: failure.error })
  }

  function assertGoingOn(): void {
    if (isEnding) throw new Error('The store is being closed.')
  }

  function failed(error: unknown): void {
    if (failure) return
    failure = { error }
    clearTimeout(timer)
    // What waits may rest on what was not written.
    underWay?.settle(error)
    waiting.settle(error)
    void reasonOf(error).then(onFailed)
  }

  /** Returns what stands for later decisions from now on. */
  function write(table: TableState, key: Key, row: Row | undefined): Unwritten {
    const unwritten: Unwritten = { row, written: waiting.written }
    waiting.writes.push({ table, recent: { key, text: row && JSON.stringify(row) }, unwritten })
    table.unwritten.set(key, unwritten)
    schedule()
    return unwritten
  }

  /** What is written in one turn of the event loop goes into one block. */
  function schedule(): void {
    if (underWay || isScheduled || waiting.writes.length === 0) return
    if (running && journal.size() >= journalMaxBytes) return
    isScheduled = true
    setImmediate(writeBlock)
  }

  function writeBlock(): void {
    isScheduled = false
    if (failure) return
    const batch = waiting
    underWay = batch
    waiting = createBatch()
    journal.write(batch.writes.map(lineOf).join('\n'), (error) => {
      if (error || failure) return failed(error)
      underWay = undefined
      for (const { table, recent, unwritten } of batch.writes) {
        touched.add(table)
        table.recent.set(recent.key, recent)
        // A later write of this row may be under way: then that one is what stands.
        table.unwritten.delete(recent.key, unwritten)
      }
      recentCount += batch.writes.length
      batch.settle()
      planCheckpoint()
      schedule()
    })
  }

  /** A checkpoint begins between two blocks, so that what is in the file that it leaves is exactly what it takes. */
  function planCheckpoint(): void {
    if (running || underWay || failure || recentCount === 0) return
    if (isWanted || recentCount >= checkpointRows) running = checkpoint()
    else timer ??= setTimeout(wantCheckpoint, checkpointAfterMs)
  }

  function wantCheckpoint(): void {
    isWanted = true
    planCheckpoint()
  }

  async function checkpoint(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    isWanted = false
    recentCount = 0
    checkpoints.begun += 1
    journal.turn()
    const taken = [...touched].map((table) => ({ table, rows: [...table.recent.values()] }))
    touched.clear()
    try {
      await Promise.all(taken.flatMap(({ table: { database }, rows }) => rows.map((row) => put(database, row))))
    } catch (error) {
      return failed(error)
    }
    for (const { table, rows } of taken) for (const recent of rows) table.recent.delete(recent.key, recent)
    checkpoints.ended += 1
    running = undefined
    planCheckpoint()
    schedule()
  }

  /** Resolves when all that was written before is stored, or to false when a write has failed. */
  async function stored(): Promise<boolean> {
    const last = waiting.writes.length > 0 ? waiting : underWay
    await last?.written.catch(() => undefined)
    const awaited = recentCount > 0 ? checkpoints.begun + 1 : checkpoints.begun
    while (checkpoints.ended < awaited && !failure) {
      if (checkpoints.begun < awaited) wantCheckpoint()
      await (running ?? underWay?.written.catch(() => undefined))
    }
    return failure === undefined
  }

  return {
    /** Throws if a write has failed. */
    assertWritable,
    /** Throws if no write may be begun any more. */
    assertGoingOn,
    isWritable: () => failure === undefined && !isEnding,
    write,
    stored,
    /** From now on no write is begun. Those that are under way are carried out. Resolves to false when a write has failed. */
    async close() {
      isEnding = true
      const isStored = await stored()
      if (isStored) journal.close()
      return isStored
    },
  }
}

/** What LMDB says of a transaction that has failed comes after the errors of its writes. */
async function reasonOf(error: unknown): Promise<unknown> {
  const { commitError } = error as { commitError?: Promise<never> }
  return commitError === undefined ? error : commitError.catch((reason) => reason)
}

/** Puts what the journal holds into the store: its end, at least, is not there. */
function carryOver(texts: readonly string[], { openDatabase, inTransaction }: Options): void {
  if (texts.length === 0) return
  const writes = texts.flatMap((text) => text.split('\n')).map(writeOf)
  const databases = new Map(writes.map(({ name }) => [name, openDatabase(name)]))
  inTransaction(() => {
    for (const { name, key, text } of writes) {
      if (text === undefined) databases.get(name)?.removeSync(key)
      else databases.get(name)?.putSync(key, text)
    }
  })
}

const put = (database: Database<string, LmdbKey>, { key, text }: Recent): Promise<boolean> =>
  text === undefined ? database.remove(key) : database.put(key, text)

/** JSON has no tabs and no line breaks of its own. */
const lineOf = ({ table, recent: { key, text = '' } }: Write): string =>
  `${JSON.stringify([table.name, key[0], key[1]])}\t${text}`

function writeOf(line: string): Recent & { name: string } {
  const tab = line.indexOf('\t')
  const [name, partition, sort] = JSON.parse(line.slice(0, tab)) as [string, ...Key]
  return { name, key: [partition, sort], text: line.slice(tab + 1) || undefined }
}

function createBatch(): Batch {
  let settle: Batch['settle'] = () => undefined
  const written = new Promise<void>((resolve, reject) => {
    settle = (error) => (error === undefined ? resolve() : reject(error))
  })
  // The caller of a write ahead does not wait for it, so a rejection must not count as unhandled.
  written.catch(() => undefined)
  return { writes: [], written, settle }
}
