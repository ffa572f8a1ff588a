// A process of its own that writes rows with the engine, many at once, and says what it gives to the engine and what is answered. The test
// watches what of it goes to the disk.

import { writeSync } from 'node:fs'
import { openKeyValueLmdb } from '../../src/engine/key-value/key-value.lmdb.ts'
import type { Op, Version } from './power-loss.ts'

const rounds = 14
const keys = 9

const [directory = ''] = process.argv.slice(2)
const engine = await openKeyValueLmdb({ directory })
const tables = [engine.table<Version>('odd'), engine.table<Version>('even')]
const say = (op: Op) => writeSync(1, `${JSON.stringify(op)}\n`)

async function write(key: number, version: number): Promise<void> {
  const removes = version % 5 === 4
  // Some rows are larger than a page.
  const filler = 'x'.repeat(version % 7 === 3 ? 9000 : 40 * key)
  say({ what: 'given', key, version, removes })
  await tables[key % 2]?.update(['rows', key], () => (removes ? 'remove' : { version, filler }))
  say({ what: 'answered', key, version, removes })
}

for (let version = 1; version <= rounds; version += 1)
  await Promise.all(Array.from({ length: 1 + (version % keys) }, (_, key) => write(key, version)))
// Each of these waits for the one before.
for (let version = rounds + 1; version <= rounds + 6; version += 1) await write(0, version)
await engine.close()
