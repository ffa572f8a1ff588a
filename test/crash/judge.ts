// A process of its own that opens files as they may be found after a loss of power, and says what is in them. If a file is damaged it may die of it.

import { createInterface } from 'node:readline'
import { openKeyValueLmdb } from '../../src/engine/key-value/key-value.lmdb.ts'
import type { Found, Version } from './power-loss.ts'

for await (const directory of createInterface({ input: process.stdin }))
  console.log(JSON.stringify(await look(directory)))

async function look(directory: string): Promise<Found> {
  try {
    const engine = await openKeyValueLmdb({ directory })
    try {
      const versions: Record<number, number> = {}
      for (const name of ['odd', 'even'])
        for (const [[, key], { version }] of engine.table<Version>(name).entries()) versions[Number(key)] = version
      // It can be written to, so its free pages can be read too.
      await engine.table('odd').update(['after', 1], () => ({ version: 1, filler: 'y'.repeat(20_000) }))
      return { versions }
    } finally {
      await engine.close()
    }
  } catch (error) {
    return { damaged: String(error) }
  }
}
