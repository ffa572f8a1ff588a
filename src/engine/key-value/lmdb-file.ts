import { randomUUID } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

// LMDB makes its file in place and syncs it only with the first transaction. If the power goes in between, a later start finds a file that is no
// LMDB file, and dies of it with a segmentation fault. If another process starts in between, it finds the same. So:
//
// <id>.making   a directory in which one process makes the file. The file is linked to its own name once it is on the disk: it is there as a
//               whole or not at all, and of those who make one at once the first wins, and all use that one.
//
// A file that is not whole was damaged, and is left as it is.

/** Both pages at the beginning of the file begin with this, and LMDB never writes over it. */
const magic = 0xbeefc0de
const magicOffset = 24
const pageSizeOffset = 48
const aside = '.making'
const makesWithinMs = 60_000

type Opened = { close(): Promise<void> }

/** Opens the file in the directory, which is made where it does not exist. */
export function openFile<T extends Opened>(directory: string, openIn: (directory: string) => T): T {
  const firstMade = mkdirSync(directory, { recursive: true, mode: 0o700 })
  const path = join(directory, 'data.mdb')
  if (!existsSync(path)) makeFile(directory, path, openIn)
  assertWhole(path)
  // The names of a new file and of new directories have to be on the disk as well. Another process may have made the file just now.
  const top = firstMade === undefined ? directory : dirname(firstMade)
  for (let each = directory; ; each = dirname(each)) {
    syncDirectory(each)
    if (each === top) break
  }
  removeRemains(directory, statSync(path).mtimeMs)
  return openIn(directory)
}

/** Throws an error that names the file, if it is none of LMDB's. */
export function assertWhole(path: string): void {
  if (!isWhole(path))
    throw new Error(
      `${path} is damaged: it is not a whole LMDB file. Move its whole directory away, also the journal beside it, and restore a backup or begin anew.`,
    )
}

function makeFile(directory: string, path: string, openIn: (directory: string) => Opened): void {
  const own = join(directory, `${randomUUID().slice(0, 8)}${aside}`)
  try {
    mkdirSync(own)
    const made = openIn(own)
    // LMDB may still have its own file open for a moment, and must not open it a second time.
    const whole = join(own, 'whole.mdb')
    writeFileSync(whole, readFileSync(join(own, 'data.mdb')), { flush: true })
    linkSync(whole, path)
    // What cannot be removed now is removed by a later start.
    made
      .close()
      .then(() => rmSync(own, { recursive: true, force: true }))
      .catch(() => undefined)
  } catch (error) {
    // Another process was first.
    if (!existsSync(path)) throw error
  }
}

/** Removes what a process has left that died while it made the file. One that may still be at it is left alone: LMDB would die of that. */
function removeRemains(directory: string, writtenAtMs: number): void {
  for (const name of readdirSync(directory)) {
    if (!name.endsWith(aside)) continue
    const place = join(directory, name)
    const madeAtMs = statSync(place, { throwIfNoEntry: false })?.mtimeMs ?? 0
    if (writtenAtMs - madeAtMs > makesWithinMs) rmSync(place, { recursive: true, force: true })
  }
}

function isWhole(path: string): boolean {
  const file = openSync(path, 'r')
  try {
    const read = (at: number): number => {
      const bytes = Buffer.alloc(4)
      return readSync(file, bytes, 0, 4, at) === 4 ? bytes.readUInt32LE() : 0
    }
    return read(magicOffset) === magic && read(read(pageSizeOffset) + magicOffset) === magic
  } finally {
    closeSync(file)
  }
}

export function syncDirectory(path: string): void {
  // Windows opens no directories.
  if (process.platform === 'win32') return
  const directory = openSync(path, 'r')
  fsyncSync(directory)
  closeSync(directory)
}
