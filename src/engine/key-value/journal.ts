import {
  closeSync,
  constants,
  existsSync,
  fdatasync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  write,
} from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { syncDirectory } from './lmdb-file.ts'

// What is written goes to the journal first: one write and one sync for all that waits at the same time. It is carried over to the store later,
// much of it at once, in a checkpoint. After a crash, what the journal holds is carried over before anything is read.
//
// journal-0, journal-1   blocks one after the other, in one of the two files. A checkpoint makes the writer turn to the other file, and what is in the
//                        first one is in the store before the writer turns back and overwrites it.
//
// A block has a number one higher than the block before, and a checksum. So a file ends, for a reader, where a block is torn, or where what
// follows is left of an earlier use of the file. No block is written before the last one is on the disk, so nothing that was answered comes after
// a torn block.
//
// A reader carries over the older file and then the newer one. It is no harm if some of it is in the store already, as long as it is the end of
// what was written, without a gap: each row ends as the last block has it. If there is a gap between the files, the older one was just being
// overwritten, so all that it held is in the store.

const names = ['journal-0', 'journal-1'] as const
const magic = 0x314a4c50
const headerBytes = 20
/** The checksum is over what comes after it. */
const numberOffset = 12
/** On Linux, a write to a file that is opened like this ends when it is on the disk: one system call instead of two. */
const through = process.platform === 'linux' ? constants.O_DSYNC : 0

export type Journal = {
  /** Writes a block. Calls `done` when it is on the disk, or when that has failed. There is one call at a time. */
  write(text: string, done: (error: unknown) => void): void
  /** The next block goes to the other file. What that file holds must be in the store. */
  turn(): void
  /** How many bytes were written to the file since the journal turned to it. */
  size(): number
  /** Must be called when all that was written is in the store. */
  close(): void
}

type Block = { number: number; text: string }

/** Returns the texts of all blocks that may not be in the store, in the order in which they were written. */
export function readJournal(directory: string): string[] {
  return inOrder(directory).flatMap(({ blocks }) => blocks.map(({ text }) => text))
}

/** Empties the journal and begins anew. All that it holds must be in the store. */
export function openJournal(directory: string): Journal {
  const isNew = names.some((name) => !existsSync(join(directory, name)))
  emptyJournal(directory)
  const files = names.map((name) => ({
    fd: openSync(join(directory, name), constants.O_WRONLY | constants.O_CREAT | through),
    end: 0,
  }))
  if (isNew) syncDirectory(directory)
  let current = 0
  let number = 0

  return {
    write(text, done) {
      const file = files[current] as (typeof files)[number]
      number += 1
      const block = blockOf({ number, text })
      write(file.fd, block, 0, block.length, file.end, (error, written) => {
        if (error) done(error)
        else if (written < block.length) done(new Error('The disk took only a part of a block.'))
        else if (through) done(undefined)
        else fdatasync(file.fd, (failed) => done(failed ?? undefined))
      })
      file.end += block.length
    },
    turn() {
      current = 1 - current
      const file = files[current]
      if (file) file.end = 0
    },
    size: () => files[current]?.end ?? 0,
    close() {
      for (const { fd } of files) closeSync(fd)
      emptyJournal(directory)
    },
  }
}

/**
 * The older file is emptied first: until then the newer one must follow it. A file without a whole block is emptied too: it may hold blocks of an
 * earlier use behind a torn one, and those must not follow the blocks of the next owner.
 */
function emptyJournal(directory: string): void {
  for (const { name } of inOrder(directory)) {
    const fd = openSync(join(directory, name), 'r+')
    ftruncateSync(fd)
    fsyncSync(fd)
    closeSync(fd)
  }
}

/** Returns the files, the older one first, or one without blocks. Of an older file with a gap behind it, it returns no blocks. */
function inOrder(directory: string): { name: string; blocks: Block[] }[] {
  const files = names
    .filter((name) => existsSync(join(directory, name)))
    .map((name) => ({ name, blocks: blocksOf(join(directory, name)) }))
    .sort((a, b) => (a.blocks[0]?.number ?? 0) - (b.blocks[0]?.number ?? 0))
  const [older, newer] = files
  if (older && newer && older.blocks.at(-1)?.number !== (newer.blocks[0]?.number ?? 0) - 1) older.blocks = []
  return files
}

function blocksOf(path: string): Block[] {
  const file = readFileSync(path)
  const blocks: Block[] = []
  for (let at = 0; at + headerBytes <= file.length; ) {
    const end = at + headerBytes + file.readUInt32LE(at + 4)
    if (file.readUInt32LE(at) !== magic || end > file.length) break
    if (crc32(file.subarray(at + numberOffset, end)) !== file.readUInt32LE(at + 8)) break
    const number = file.readDoubleLE(at + numberOffset)
    if (blocks.length > 0 && number !== (blocks.at(-1)?.number ?? 0) + 1) break
    blocks.push({ number, text: file.toString('utf8', at + headerBytes, end) })
    at = end
  }
  return blocks
}

function blockOf({ number, text }: Block): Buffer {
  const length = Buffer.byteLength(text)
  const block = Buffer.allocUnsafe(headerBytes + length)
  block.writeUInt32LE(magic, 0)
  block.writeUInt32LE(length, 4)
  block.writeDoubleLE(number, numberOffset)
  block.write(text, headerBytes, 'utf8')
  block.writeUInt32LE(crc32(block.subarray(numberOffset)), 8)
  return block
}
