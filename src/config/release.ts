import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const packageName = '@parley/server'

/** Returns the version of the package that this file is part of, as it was built or is developed. */
export function packageVersion(from = fileURLToPath(import.meta.url)): string {
  for (let directory = dirname(from); directory !== dirname(directory); directory = dirname(directory)) {
    const path = join(directory, 'package.json')
    const { name, version } = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Named) : {}
    if (name === packageName && version !== undefined) return version
  }
  return 'unknown'
}

type Named = { name?: string; version?: string }
