import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Storage } from './storage.ts'

/** Stores the state in a file, for clients in Node. It writes a new file and renames it, so a crash leaves either file complete. */
export function fileStorage(path: string): Storage {
  let kept: Map<string, unknown> | undefined

  async function read(): Promise<Map<string, unknown>> {
    try {
      return new Map(JSON.parse(await readFile(path, 'utf8')))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map()
      throw error
    }
  }

  return {
    async load() {
      kept = await read()
      return [...kept]
    },
    async write(changes) {
      const next = new Map(kept ?? (await read()))
      for (const [key, value] of changes) {
        if (value === undefined) next.delete(key)
        else next.set(key, value)
      }
      await mkdir(dirname(path), { recursive: true })
      const file = await open(`${path}.new`, 'w')
      try {
        await file.writeFile(JSON.stringify([...next]))
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(`${path}.new`, path)
      kept = next
    },
  }
}
