import type { Attachment, Message } from '../../ports/log.ts'
import type { SignedPut } from '../../ports/media.ts'
import type { Ports } from '../../ports/ports.ts'
import { ChatError } from '../../protocol/errors.ts'
import { attachmentId, type UserId } from '../../protocol/ids.ts'
import { WindowSums } from '../../shared/window-sums.ts'

// Announces a file and shows it. Its bytes never pass through here: they go from the device to the media store, and from there to the readers,
// by URLs that are signed here.

type FilePromise = { contentType: string; byteSize: number; name?: string }
export type Announced = { attachment: Attachment; put: SignedPut }

/** After this time an upload cannot be attached any more, and the sweep removes it if it was not. */
const uploadTtlMs = 24 * 3_600_000
export const hourMs = 3_600_000

/** One user may announce this much on one node; 0 means no limit. */
export type UploadBudget = { perHour: number; bytesPerHour: number }

type Needs = Pick<Ports, 'uploads' | 'media' | 'clock'> & { randomId: () => string; budget?: UploadBudget | undefined }

export function createUploads({ uploads, media, clock, randomId, budget }: Needs) {
  const [counts, bytes] = [new WindowSums(hourMs), new WindowSums(hourMs)]

  /** Every announced file has a row and may be in the bucket for a day, so it is counted before either exists. */
  function spend(ownerId: UserId, byteSize: number): void {
    const nowMs = clock.monotonic()
    const { perHour = 0, bytesPerHour = 0 } = budget ?? {}
    const isTooMany = perHour > 0 && counts.of(ownerId, nowMs) >= perHour
    const isTooMuch = bytesPerHour > 0 && bytes.of(ownerId, nowMs) + byteSize > bytesPerHour
    if (isTooMany || isTooMuch) {
      const most = isTooMany ? `${perHour} files` : `${bytesPerHour} bytes`
      const details = { retryAfterMs: (isTooMany ? counts : bytes).leftMs(nowMs) }
      throw new ChatError('RATE_LIMITED', `A user uploads at most ${most} an hour.`, details)
    }
    counts.add(ownerId, 1, nowMs)
    bytes.add(ownerId, byteSize, nowMs)
  }

  async function announce(ownerId: UserId, promise: FilePromise): Promise<Announced> {
    if (!media) throw new ChatError('FORBIDDEN', 'Attachments are not set up on this server.')
    spend(ownerId, promise.byteSize)
    const expiresAtMs = clock.now() + uploadTtlMs
    const id = attachmentId(Math.floor(expiresAtMs / hourMs), randomId())
    const attachment: Attachment = { id, key: `attachments/${id}`, ...promise }
    const put = await media.presignPut(attachment)
    await uploads.create({ ...attachment, ownerId, expiresAtMs })
    return { attachment, put }
  }

  /** Returns none if the server has no media store. */
  const attachmentsOf = ({ attachments = [], deletedAtMs }: Message): readonly Attachment[] =>
    media && deletedAtMs === undefined ? attachments : []

  /** Returns where to fetch the file. Callers have checked that the viewer may read its message. */
  async function urlOf(attachment: Attachment): Promise<string> {
    if (!media) throw new ChatError('FORBIDDEN', 'Attachments are not set up on this server.')
    return media.presignGet(attachment)
  }

  return { announce, attachmentsOf, urlOf }
}
