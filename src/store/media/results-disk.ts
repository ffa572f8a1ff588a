// Keeps what tasks make: DIRECTORY/exports/<id>, and while it is written DIRECTORY/exports/<id>.<upload>.<number> for each part.

import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { PartialFile, Results } from '../../ports/media.ts'
import { unavailable } from '../../protocol/errors.ts'
import { find, type MediaDiskOptions, sizeOf } from './disk.ts'
import { createSignedPaths } from './signed-paths.ts'

export function createResultsDisk({ directory, secrets, clock }: MediaDiskOptions): Results {
  const paths = createSignedPaths({ secrets, clock })

  function pathOf(key: string): string {
    const path = find(directory, key)
    if (!path) throw unavailable(new Error(`${key} is no key of a file.`))
    return path
  }

  const partOf = ({ key, upload }: PartialFile, number: number): string => `${pathOf(key)}.${upload}.${number}`

  return {
    async begin({ key }) {
      await mkdir(dirname(pathOf(key)), { recursive: true })
      return { key, upload: randomUUID(), tags: [] }
    },

    async write(file, bytes) {
      const path = partOf(file, file.tags.length)
      await writeFile(`${path}.part`, bytes, { mode: 0o600 })
      await rename(`${path}.part`, path)
      return { ...file, tags: [...file.tags, String(bytes.length)] }
    },

    async complete(file) {
      const path = pathOf(file.key)
      if ((await sizeOf(path)) !== undefined) return
      const whole = `${path}.${file.upload}.part`
      const parts = file.tags.map((_, i) => partOf(file, i))
      await pipeline(contentOf(parts), createWriteStream(whole, { mode: 0o600 }))
      await rename(whole, path)
      for (const part of parts) await rm(part, { force: true })
    },

    async remove({ key }) {
      const path = pathOf(key)
      const names = await readdir(dirname(path)).catch(() => [])
      const own = names.filter((name) => name.startsWith(`${basename(path)}.`))
      for (const name of own) await rm(join(dirname(path), name), { force: true })
      await rm(path, { force: true })
    },

    presign: async (file, untilMs) => paths.pathOf('GET', file, untilMs),
  }
}

async function* contentOf(paths: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const path of paths) yield* createReadStream(path) as AsyncIterable<Uint8Array>
}
