import type { Upload } from '../../ports/media.ts'
import type { Ports } from '../../ports/ports.ts'
import { hourMs } from './uploads.ts'

// Uploads expire hour by hour. A sweep goes through the hours that are over, in order: what no message shows loses its
// bytes and then its row, what a message shows only its row. Then it notes the hour down, in DynamoDB: after a week without
// a node the next sweep goes on from there. Several nodes may sweep at once; they do no harm, only each other's work.

/** A send that found its upload unexpired has long ended by then, and no clock is that wrong. */
const graceHours = 1
const foundAtATime = 100
const clearedAtATime = 20
/** Of one sweep. The next goes on. */
const uploadsMax = 50_000

type Needs = Pick<Ports, 'uploads' | 'media' | 'clock'> & { isShown: (upload: Upload) => Promise<boolean> }

export function createSweepUploads({ uploads, media, clock, isShown }: Needs) {
  return async function sweep(): Promise<void> {
    if (!media) return
    const lastOver = Math.floor(clock.now() / hourMs) - 1 - graceHours
    const swept = await uploads.sweptHour()
    // At the first sweep of all there is nothing to find yet: uploads expire in a day.
    if (swept === undefined) return uploads.setSweptHour(lastOver)
    let left = uploadsMax
    for (let hour = swept + 1; hour <= lastOver && left > 0; hour += 1) {
      for (;;) {
        const expired = await uploads.expiringIn(hour, foundAtATime)
        if (expired.length === 0) break
        for (let i = 0; i < expired.length; i += clearedAtATime) {
          await Promise.all(expired.slice(i, i + clearedAtATime).map(clear))
        }
        left -= expired.length
        if (left <= 0) return
      }
      await uploads.setSweptHour(hour)
    }
  }

  /** The row last: while it is there, the next sweep finds what is left to do. */
  async function clear(upload: Upload): Promise<void> {
    if (!(await isShown(upload))) await media?.remove(upload.key)
    await uploads.remove(upload.id)
  }
}
