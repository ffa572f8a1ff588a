import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { Clock } from '../../ports/clock.ts'
import type { Results } from '../../ports/media.ts'
import { contentDisposition } from '../../protocol/media-type.ts'
import { answered, unlessMissing } from './s3-answers.ts'

type Options = { client: S3Client; bucket: string; clock: Clock }

/** A part may have 8 MiB and the last step puts thousands of them together, so these calls may take longer than others. */
const deadline = () => ({ abortSignal: AbortSignal.timeout(60_000) })

/** Writes by multipart uploads. One that nobody goes on with stays until it is removed; a rule of the bucket should end those too. */
export function createResultsS3({ client, bucket, clock }: Options): Results {
  const at = (key: string) => ({ Bucket: bucket, Key: key })

  return {
    async begin({ key, contentType }) {
      const command = new CreateMultipartUploadCommand({ ...at(key), ContentType: contentType })
      const { UploadId } = await answered(() => client.send(command, deadline()))
      return { key, upload: UploadId ?? '', tags: [] }
    },

    async write(file, bytes) {
      const command = new UploadPartCommand({
        ...at(file.key),
        UploadId: file.upload,
        PartNumber: file.tags.length + 1,
        Body: bytes,
      })
      const { ETag } = await answered(() => client.send(command, deadline()))
      return { ...file, tags: [...file.tags, ETag ?? ''] }
    },

    async complete(file) {
      const isThere = new HeadObjectCommand(at(file.key))
      if (await answered(() => client.send(isThere, deadline()).catch(unlessMissing))) return
      const Parts = file.tags.map((ETag, i) => ({ ETag, PartNumber: i + 1 }))
      const command = new CompleteMultipartUploadCommand({
        ...at(file.key),
        UploadId: file.upload,
        MultipartUpload: { Parts },
      })
      await answered(() => client.send(command, deadline()))
    },

    async remove({ key, upload }) {
      if (upload !== undefined) {
        const abort = new AbortMultipartUploadCommand({ ...at(key), UploadId: upload })
        await answered(() => client.send(abort, deadline()).catch(unlessMissing))
      }
      await answered(() => client.send(new DeleteObjectCommand(at(key)), deadline()))
    },

    presign(file, untilMs) {
      const command = new GetObjectCommand({
        ...at(file.key),
        ResponseContentType: file.contentType,
        ResponseContentDisposition: contentDisposition(file),
        ResponseCacheControl: 'private, no-store',
      })
      const now = clock.now()
      const expiresIn = Math.max(1, Math.floor((untilMs - now) / 1000))
      return answered(() => getSignedUrl(client, command, { signingDate: new Date(now), expiresIn }))
    },
  }
}
