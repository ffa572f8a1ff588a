import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

// LMDB makes its file in place and syncs it only with the first transaction. If the power goes in between, a later start finds a file that is no LMDB file, and
// dies of it with a segmentation fault. So:
//
// creating   lies beside the file from before it is made until it is on the disk. Nothing can have been stored in a file that is not whole
//            and lies beside it: it is made anew.
//
// A file that is not whole at any other time was damaged, and is left as it is.

/** Both pages at the beginning of the file begin with this, and LMDB never writes over it. */
const magic = 0xbeefc0de
const magicOffset = 24
const pageSizeOffset = 48

/** Opens the file in the directory, which is made where it does not exist. */
export function openFile<T>(directory: string, open: () => T): T {
  const firstMade = mkdirSync(directory, { recursive: true, mode: 0o700 })
  const path = join(directory, 'data.mdb')
  const creating = join(directory, 'creating')
  if (existsSync(creating) && !isWhole(path)) rmSync(path, { force: true })
  if (existsSync(path)) {
    if (!isWhole(path))
      throw new Error(
        `${path} is damaged: it is not a whole LMDB file. Put a backup in its place, or begin anew without it.`,
      )
    if (!existsSync(creating)) return open()
  }
  writeFileSync(creating, '')
  syncDirectory(directory)
  const opened = open()
  sync(path)
  rmSync(creating)
  // The names of a new file and of new directories have to be on the disk as well.
  const top = firstMade === undefined ? directory : dirname(firstMade)
  for (let each = directory; ; each = dirname(each)) {
    syncDirectory(each)
    if (each === top) return opened
  }
}

function isWhole(path: string): boolean {
  if (!existsSync(path)) return false
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

function sync(path: string): void {
  const file = openSync(path, 'r+')
  fsyncSync(file)
  closeSync(file)
}

function syncDirectory(path: string): void {
  // Windows opens no directories.
  if (process.platform === 'win32') return
  const directory = openSync(path, 'r')
  fsyncSync(directory)
  closeSync(directory)
}
