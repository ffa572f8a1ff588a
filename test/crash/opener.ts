// A process of its own that opens the file of the store in a directory at a given moment, and says which file it has found there.

import { statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { open, type RootDatabase } from 'lmdb'
import { openFile } from '../../src/engine/key-value/lmdb-file.ts'

let file: RootDatabase | undefined
for await (const line of createInterface({ input: process.stdin })) {
  const { directory, atMs } = JSON.parse(line) as { directory: string; atMs: number }
  // It is left open until all have opened theirs: LMDB may fail to open a file that its last user closes at that moment.
  await file?.close()
  while (Date.now() < atMs);
  try {
    file = openFile(directory, (path) => open({ path, overlappingSync: false, maxDbs: 64, noSubdir: false }))
    console.log(statSync(join(directory, 'data.mdb')).ino)
  } catch (error) {
    console.log(String(error))
  }
}
await file?.close()
