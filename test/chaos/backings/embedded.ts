import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { KeyValue } from '../../../src/engine/key-value/key-value.ts'
import { openSnapshotLmdb } from '../../../src/engine/key-value/snapshot.lmdb.ts'
import type { Stores } from '../../../src/ports/ports.ts'
import { createStoresEmbedded } from '../../../src/store/embedded/stores.ts'
import { tableNames } from '../../../src/store/rows/tables.ts'
import { type Keys, readPending, readTables } from '../checks/tables.ts'
import { faultsOfOneProcess } from '../faults/plan.ts'
import type { Backing } from './backing.ts'

const killAtWrite = fileURLToPath(new URL('../faults/kill-at-write.mjs', import.meta.url))

/** A directory: the node keeps everything in one file, and what may be forgotten in its memory. */
export async function makeEmbedded(): Promise<Backing> {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-chaos-'))

  /** Reads while the node may write. The file is closed again, so that a node that starts is the first to open it. */
  async function reading<T>(read: (stores: Stores, keysOf: Keys) => Promise<T>): Promise<T> {
    const snapshot = await openSnapshotLmdb(join(dataDir, 'store'), tableNames)
    try {
      const keysOf: Keys = async (name) =>
        Array.from(snapshot.table<Record<string, unknown>>(name).entries(), ([, row]) => row)
      return await read(createStoresEmbedded(snapshot as unknown as KeyValue), keysOf)
    } finally {
      await snapshot.close()
    }
  }

  return {
    environment: { DATA_DIR: dataDir },
    preloads: [killAtWrite],
    faults: faultsOfOneProcess,
    settled: async () => undefined,
    readTables: () => reading(readTables),
    readPending: () => reading(readPending),
    stop: () => rm(dataDir, { recursive: true, force: true }),
    destroy: () => rmSync(dataDir, { recursive: true, force: true }),
  }
}
