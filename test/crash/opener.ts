// A process of its own that opens the store in a directory at a given moment, and says which file it has found there.

import { statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { openKeyValueLmdb } from '../../src/engine/key-value/key-value.lmdb.ts'

let engine: ReturnType<typeof openKeyValueLmdb> | undefined
for await (const line of createInterface({ input: process.stdin })) {
  const { directory, atMs } = JSON.parse(line) as { directory: string; atMs: number }
  // It is left open until all have opened theirs: LMDB may fail to open a file that its last user closes at that moment.
  await engine?.close()
  while (Date.now() < atMs);
  try {
    engine = openKeyValueLmdb({ directory })
    console.log(statSync(join(directory, 'data.mdb')).ino)
  } catch (error) {
    console.log(String(error))
  }
}
await engine?.close()
