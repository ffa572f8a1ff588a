import type { Attachment, Message } from '../ports/log.ts'
import type { SignedPut } from '../ports/media.ts'
import type { Ports } from '../ports/ports.ts'
import { ChatError } from '../protocol/errors.ts'
import { attachmentId, type UserId } from '../protocol/ids.ts'

// Announcing a file, and showing it. Its bytes never pass through here: they go from the device to where they are kept, and
// from there to its readers, by URLs signed here.

export type FilePromise = { contentType: string; byteSize: number; name?: string }
export type Announced = { attachment: Attachment; put: SignedPut }

/** From then on it cannot be attached any more, and the sweep takes what was not. */
export const uploadTtlMs = 24 * 3_600_000
export const hourMs = 3_600_000

type Needs = Pick<Ports, 'uploads' | 'media' | 'clock'> & { randomId: () => string }

export function createUploads({ uploads, media, clock, randomId }: Needs) {
  async function announce(ownerId: UserId, promise: FilePromise): Promise<Announced> {
    if (!media) throw new ChatError('FORBIDDEN', 'Attachments are not set up on this server.')
    const expiresAtMs = clock.now() + uploadTtlMs
    const id = attachmentId(Math.floor(expiresAtMs / hourMs), randomId())
    const attachment: Attachment = { id, key: `attachments/${id}`, ...promise }
    const put = await media.presignPut(attachment)
    await uploads.create({ ...attachment, ownerId, expiresAtMs })
    return { attachment, put }
  }

  /** None where there is no place to fetch them from. */
  const attachmentsOf = ({ attachments = [], deletedAtMs }: Message): readonly Attachment[] =>
    media && deletedAtMs === undefined ? attachments : []

  /** Where to fetch it. Only for those who may read its message. */
  async function urlOf(attachment: Attachment): Promise<string> {
    if (!media) throw new ChatError('FORBIDDEN', 'Attachments are not set up on this server.')
    return media.presignGet(attachment)
  }

  return { announce, attachmentsOf, urlOf }
}
