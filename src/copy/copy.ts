import { CopyError, type Progress, type Readable, type Source, type Target, type Totals } from './place.ts'
import { createTally, differences } from './tally.ts'

export type Copied = { rows: number; written: number; isResumed: boolean; totals: Totals }

/**
 * Copies every row, and then reads the target to compare it with what was read of the source. A copy that was interrupted is begun again: it
 * reads the source from the beginning, and writes what is not there yet.
 */
export async function copy(source: Source, target: Target, onProgress: Progress): Promise<Copied> {
  const { isResumed } = await target.begin(source.deploymentId)
  const tally = createTally()
  let [rows, written] = [0, 0]
  for await (const batch of source.batches()) {
    tally.add(batch)
    written += await target.write(batch)
    rows += batch.rows.length
    onProgress('copied', batch.table, rows)
  }
  if (isResumed) await removeWhatIsGone(source, target)
  const totals = tally.totals()
  const wrong = differences(totals, await totalsOf(target, onProgress))
  if (wrong.length > 0)
    throw new CopyError(
      `${target.name} differs from ${source.name} in ${wrong.join(', ')}. Did something else write there? The copy is not complete.`,
    )
  await target.complete(source.deploymentId, totals)
  return { rows, written, isResumed, totals }
}

/** The source may have removed rows since the copy was interrupted. */
async function removeWhatIsGone(source: Source, target: Target): Promise<void> {
  if (!source.findMissing || !target.remove) return
  for await (const batch of target.batches()) {
    const rows = await source.findMissing(batch)
    if (rows.length > 0) await target.remove({ table: batch.table, rows })
  }
}

async function totalsOf(place: Readable, onProgress: Progress): Promise<Totals> {
  const tally = createTally()
  let rows = 0
  for await (const batch of place.batches()) {
    tally.add(batch)
    rows += batch.rows.length
    onProgress('compared', batch.table, rows)
  }
  return tally.totals()
}
