import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../ports/clock.ts'
import type { Media } from '../../ports/media.ts'
import { contentDisposition } from '../../protocol/media-type.ts'
import { createResultsS3 } from './results-s3.ts'
import { answered, unlessMissing } from './s3-answers.ts'
import { getTtlMs, putTtlMs, readingWindow } from './window.ts'

type MediaS3Options = {
  bucket: string
  region: string
  /** Undefined means the AWS service itself. */
  endpoint?: string
  /** Undefined means the SDK's own chain of credentials. */
  credentials?: { accessKeyId: string; secretAccessKey: string }
  clock: Clock
}

const attempts = 2
const attemptTimeoutMs = 1000
/** URLs are cached: signing takes a millisecond or two of CPU, and a page may show hundreds of files. */
const rememberedUrls = 20_000
/** The size is bounded too, as a URL holds the name of its file, which may take 3,000 characters there. */
const rememberedUrlsMaxChars = 16 * 1024 * 1024

export function createMediaS3({ bucket, region, endpoint, credentials, clock }: MediaS3Options) {
  const settings = {
    region,
    ...(endpoint && { endpoint, forcePathStyle: true }),
    ...(credentials && { credentials }),
    // Otherwise a signed PUT demands the checksum of an empty body.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: attempts,
  } as const
  const client = new S3Client({
    ...settings,
    requestHandler: {
      throwOnRequestTimeout: true,
      requestTimeout: attemptTimeoutMs,
      connectionTimeout: attemptTimeoutMs,
    },
  })
  const urls = new LRUCache<string, string>({
    max: rememberedUrls,
    maxSize: rememberedUrlsMaxChars,
    sizeCalculation: (url, key) => url.length + key.length,
  })

  const media: Media = {
    async presignPut({ key, contentType, byteSize }) {
      const command = new PutObjectCommand({
        Bucket: bucket,
        Key: key,
        ContentType: contentType,
        ContentLength: byteSize,
      })
      const url = await answered(() =>
        getSignedUrl(client, command, {
          // S3 refuses a request whose signed headers differ, so type and length are signed.
          signableHeaders: new Set(['host', 'content-type', 'content-length']),
          signingDate: new Date(clock.now()),
          expiresIn: putTtlMs / 1000,
        }),
      )
      return { url, headers: { 'content-type': contentType } }
    },

    async presignGet(file) {
      const { fromMs, untilMs } = readingWindow(clock.now())
      const known = urls.get(`${fromMs} ${file.key}`)
      if (known) return known
      const command = new GetObjectCommand({
        Bucket: bucket,
        Key: file.key,
        ResponseContentType: file.contentType,
        ResponseContentDisposition: contentDisposition(file),
        ResponseCacheControl: `private, max-age=${getTtlMs / 1000}`,
      })
      const options = { signingDate: new Date(fromMs), expiresIn: (untilMs - fromMs) / 1000 }
      const url = await answered(() => getSignedUrl(client, command, options))
      urls.set(`${fromMs} ${file.key}`, url)
      return url
    },

    async isUploaded({ key, contentType, byteSize }) {
      const command = new HeadObjectCommand({ Bucket: bucket, Key: key })
      const found = await answered(() => client.send(command, deadline()).catch(unlessMissing))
      return found?.ContentLength === byteSize && found.ContentType === contentType
    },

    async remove(key) {
      const command = new DeleteObjectCommand({ Bucket: bucket, Key: key })
      await answered(() => client.send(command, deadline()))
    },
  }
  // What is written there takes longer than a deadline of a second.
  const slowClient = new S3Client(settings)
  const results = createResultsS3({ client: slowClient, bucket, clock })
  return {
    ...media,
    results,
    close() {
      client.destroy()
      slowClient.destroy()
    },
  }
}

/** The deadline also covers the waits between the attempts. */
const deadline = () => ({ abortSignal: AbortSignal.timeout(attempts * attemptTimeoutMs) })
