import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { openKeyValueLmdb } from '../engine/key-value/key-value.lmdb.ts'
import { AlreadyOwnedError } from '../engine/key-value/single-owner.ts'
import type { Clock } from '../ports/clock.ts'
import { unavailable } from '../protocol/errors.ts'
import { readDeploymentId } from '../store/deployment.ts'
import { createStoresEmbedded } from '../store/embedded/stores.ts'
import { createSweepExpired } from '../store/embedded/sweep-expired.ts'
import { createEmbeddedTable } from '../store/embedded/table.ts'
import type { ClaimRows } from '../store/rows/claim-row.ts'
import type { KeptBackend } from './backends.ts'

export type EmbeddedStoreOptions = {
  dataDir: string
  claimRows: ClaimRows
  /** Whether a feed is kept. */
  events: boolean
  clock: Clock
  warn: (text: string) => void
  /** Called once, when a write has failed. */
  onFailed: (error: unknown) => void
}

/** Opens the store in the data directory, for this process alone. */
export async function openEmbeddedStore({
  dataDir,
  claimRows,
  events,
  clock,
  warn,
  onFailed,
}: EmbeddedStoreOptions): Promise<KeptBackend> {
  const directory = resolve(join(dataDir, 'store'))
  warnOfEarlierData(resolve(join(dataDir, 'dynamodb')), directory, warn)
  const engine = await openKeyValueLmdb({ directory, onFailed }).catch((error) => {
    if (!(error instanceof AlreadyOwnedError)) throw error
    throw new Error(`Another server is already running on ${directory}. Stop it, or set DATA_DIR to another directory.`)
  })
  const users = createEmbeddedTable(engine, 'users')
  const id = await readDeploymentId(
    {
      get: async (key) => users.get(key),
      create: async (row) => void (await users.update(row, (standing) => (standing ? 'keep' : row))),
    },
    randomUUID,
  )
  const sweeps = [
    ...(claimRows.ttlDays > 0 ? [createSweepExpired(engine, 'sends', clock)] : []),
    createSweepExpired(engine, 'restrictions', clock),
    ...(events
      ? [createSweepExpired(engine, 'feed', clock), createSweepExpired(engine, 'webhook_failures', clock)]
      : []),
  ]
  return {
    stores: createStoresEmbedded(engine, { rows: claimRows, clock }),
    deployment: { id, tables: directory },
    async check() {
      if (!engine.isWritable()) throw unavailable(new Error('A write to the store has failed.'))
    },
    description: `LMDB, on disk in ${directory}`,
    sweepExpired: () => Promise.all(sweeps.map((sweep) => sweep())).then(() => undefined),
    close: engine.close,
  }
}

/** Earlier releases kept the rows of development mode in dynalite's files, which this one does not read. */
function warnOfEarlierData(earlier: string, directory: string, warn: (text: string) => void): void {
  if (existsSync(earlier) && !existsSync(directory))
    warn(
      `${earlier} has the data of an earlier release, which this one does not read. docs/embedded.md says how to copy it; to begin anew, ` +
        'remove it.',
    )
}
