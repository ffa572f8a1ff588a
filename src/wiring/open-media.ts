import { join } from 'node:path'
import { deriveMediaSecret } from '../config/derived-secrets.ts'
import type { CompleteConfig } from '../config/dev-secrets.ts'
import { mapSecrets } from '../config/secret-lists.ts'
import type { Clock } from '../ports/clock.ts'
import { createMediaDisk } from '../store/media/disk.ts'
import { createResultsDisk } from '../store/media/results-disk.ts'

/** Opens the store of attachments and of what tasks make. */
export async function openMedia({ media, dataDir, cursorSecrets }: CompleteConfig, clock: Clock) {
  const close = async () => undefined
  if (media === 'none') return { ports: {}, close }
  if (media === 'disk') {
    const secrets = mapSecrets(cursorSecrets, deriveMediaSecret)
    const options = { directory: join(dataDir, 'media'), secrets, clock }
    const disk = createMediaDisk(options)
    return { ports: { media: disk, results: createResultsDisk(options) }, files: disk, close }
  }
  // The SDK takes its time to load, and most nodes in development mode do without it.
  const { createMediaS3 } = await import('../store/media/s3.ts')
  const s3 = createMediaS3({ ...media, clock })
  return { ports: { media: s3, results: s3.results }, close: async () => s3.close() }
}
