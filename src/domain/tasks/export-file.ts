import type { PartialFile, Results } from '../../ports/media.ts'
import type { ResultFile } from '../../ports/tasks.ts'
import type { Job } from './run-task.ts'
import { exportKeyOf } from './tasks.ts'

// Writes an export as lines of JSON, in parts. Only the lines of the part that is being made are in memory. With each part the task is saved with
// where it goes on, so a node that takes over repeats no more than one part. It writes that part over what its predecessor may have written of it.

/** S3 takes no smaller part, except as the last one. */
const partBytesDefault = 8 * 1024 * 1024
/** The row of the task holds the tags of all parts. So many of them take about 160 KB. */
const partsMax = 4000
const contentType = 'application/x-ndjson'

/** `at` is where the work goes on; what it means is up to the work. */
type Saved<At> = { file: PartialFile; byteSize: number; lines: number; at: At }

export async function openExport<At>(
  results: Results,
  job: Job,
  name: string,
  first: At,
  partBytes = partBytesDefault,
) {
  const key = exportKeyOf(job.run)
  const saved: Saved<At> = job.cursor
    ? (JSON.parse(job.cursor) as Saved<At>)
    : { file: await results.begin({ key, contentType }), byteSize: 0, lines: 0, at: first }
  let { file, byteSize, lines } = saved
  let [waiting, waitingBytes]: [Buffer[], number] = [[], 0]

  function write(line: object): void {
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`)
    waiting.push(bytes)
    waitingBytes += bytes.length
    lines += 1
  }

  /** Called where the work could go on from. Writes a part when there is enough. */
  async function mark(progress: number, at: At): Promise<void> {
    if (waitingBytes < partBytes) return job.show(progress)
    await writePart()
    await job.save(progress, JSON.stringify({ file, byteSize, lines, at } satisfies Saved<At>))
  }

  async function writePart(): Promise<void> {
    job.assert()
    if (file.tags.length >= partsMax) throw new Error('The export is too large for one file.')
    file = await results.write(file, Buffer.concat(waiting))
    byteSize += waitingBytes
    ;[waiting, waitingBytes] = [[], 0]
  }

  /** Writes the last line, which says that nothing is missing, and puts the file together. */
  async function end(): Promise<ResultFile> {
    write({ type: 'end', lines })
    await writePart()
    job.assert()
    await results.complete(file)
    return { key, contentType, byteSize, name }
  }

  return { at: saved.at, write, mark, end }
}
