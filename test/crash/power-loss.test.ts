import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createRandom } from '../simulation/random.ts'
import { bundle, type Mistake } from './bundle.ts'
import { type TraceEvent, traceFiles } from './file-trace.ts'
import { faultOf, type Image, imagesOf, judge, type Op } from './power-loss.ts'

// A process writes rows, and strace sees what it writes to the file and when it syncs it. The file is then built as it may be found when the power
// goes at each moment, and opened anew: every row that was answered by then must be there.

const seed = Number(process.env.POWER_LOSS_SEED ?? 1)
/** What is built here need not survive anything. */
const place = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** Otherwise a run of this length would see few. */
const manyCheckpoints: Mistake = {
  file: 'journaled-writes.ts',
  instead: 'checkpointRows = 500',
  put: 'checkpointRows = 8',
}

async function trace(...mistakes: Mistake[]): Promise<TraceEvent[]> {
  // What LMDB does on a real disk is what counts.
  const directory = await mkdtemp(join(tmpdir(), 'parley-power-'))
  const script = await bundle('writer.ts', manyCheckpoints, ...mistakes)
  onTestFinished(async () => {
    await rm(directory, { recursive: true })
    await script.remove()
  })
  const store = join(directory, 'store')
  const names = ['data.mdb', 'journal-0', 'journal-1']
  return traceFiles([script.path, store], { directory: store, names }, join(directory, 'trace'))
}

async function faultsIn(
  events: readonly TraceEvent[],
  isWanted: (image: Image) => boolean = () => true,
  isEnough?: (fault: string) => boolean,
): Promise<{ images: number; faults: string[] }> {
  const script = await bundle('judge.ts')
  const directory = await mkdtemp(join(place, 'parley-images-'))
  onTestFinished(async () => {
    await rm(directory, { recursive: true })
    await script.remove()
  })
  const images = [...imagesOf(events, createRandom(seed))].filter(isWanted)
  return { images: images.length, faults: await judge(images, script.path, directory, isEnough) }
}

it('whenever the power goes, every row that was answered is there, and the file is sound', async () => {
  const events = await trace()
  const { images, faults } = await faultsIn(events)
  expect(faults).toEqual([])
  expect(images).toBeGreaterThan(300)
})

const lmdb = { file: 'key-value.lmdb.ts', instead: 'path, overlappingSync: false' }
const overlapping = { ...lmdb, put: 'path, overlappingSync: true' }
const unsynced = { ...lmdb, put: 'path, noSync: true, overlappingSync: false' }
/** A flag that changes nothing instead of the one that syncs. */
const unsyncedJournal = { file: 'journal.ts', instead: "=== 'linux' ? constants.O_DSYNC", put: "=== 'linux' ? 0x40000" }

it.each([
  // lmdb-js's default: the page that says which pages count is written before they are synced, and may be on the disk alone.
  ['is stored before LMDB has synced', overlapping, 'the last alone', /reading it kills|damaged|was answered with/],
  ['has a file that LMDB never syncs', unsynced, 'all lost', /row \d+ was answered with version \d+, and is/],
  ['never syncs its journal', unsyncedJournal, 'all lost', /row \d+ was answered with version \d+, and is/],
])('an engine that %s is found out', async (_how, mistake, how, fault) => {
  // Files that are torn in other ways are left out: reading them may never end.
  const isIt = (found: string) => fault.test(found)
  const { faults } = await faultsIn(await trace(mistake), (image) => image.how === how, isIt)
  expect(faults.join('\n')).toMatch(fault)
})

it('a row is as it was answered, or later, and never otherwise', () => {
  const said: Op[] = [
    { what: 'given', key: 1, version: 1, removes: false },
    { what: 'answered', key: 1, version: 1, removes: false },
    { what: 'given', key: 1, version: 2, removes: false },
    { what: 'given', key: 2, version: 1, removes: false },
  ]
  expect(faultOf({ versions: { 1: 1 } }, said)).toBeUndefined()
  expect(faultOf({ versions: { 1: 2, 2: 1 } }, said)).toBeUndefined()
  expect(faultOf({ versions: {} }, said)).toBe('row 1 was answered with version 1, and is gone')
  expect(faultOf({ versions: { 1: 3 } }, said)).toBe('row 1 was answered with version 1, and is 3')
  expect(faultOf({ versions: { 1: 1, 2: 2 } }, said)).toBe('row 2 was answered with version 0, and is 2')
})
