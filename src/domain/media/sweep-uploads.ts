import type { Upload } from '../../ports/media.ts'
import type { Ports } from '../../ports/ports.ts'
import { hourMs } from './uploads.ts'

// Uploads expire hour by hour. A sweep goes through the hours that are over, in order. It removes the bytes and then the row of an upload that
// no message shows, and only the row of one that a message shows. Then it notes the hour in DynamoDB: after a week without a node the next
// sweep goes on from there. Several nodes may sweep at once; they do the same work twice, and no harm.

/** A send that found its upload unexpired has ended long before this time, and no clock is that wrong. */
const graceHours = 1
const foundAtATime = 100
const clearedAtATime = 20
/** The limit of one sweep. The next one goes on. */
const uploadsMax = 50_000

type Needs = Pick<Ports, 'uploads' | 'media' | 'clock'> & { isShown: (upload: Upload) => Promise<boolean> }

export function createSweepUploads({ uploads, media, clock, isShown }: Needs) {
  return async function sweep(): Promise<void> {
    if (!media) return
    const lastOver = Math.floor(clock.now() / hourMs) - 1 - graceHours
    const swept = await uploads.sweptHour()
    // The very first sweep has nothing to find yet, as uploads expire in a day.
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

  /** Removes the row last: while it exists, the next sweep finds what is left to do. */
  async function clear(upload: Upload): Promise<void> {
    if (!(await isShown(upload))) await media?.remove(upload.key)
    await uploads.remove(upload.id)
  }
}
