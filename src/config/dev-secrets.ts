// Owns `secret` in the data directory: 32 random bytes as hex, readable by its owner alone, written once.

import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AuthSettings, Config } from './config.ts'
import { deriveCursorSecret } from './derived-secrets.ts'
import type { SecretList } from './secret-lists.ts'

/** A configuration in which no secret is missing. */
export type CompleteConfig = Omit<Config, 'auth' | 'cursorSecrets'> & {
  /** No auth setting was given: the node hands out its own tokens. */
  development: boolean
  auth: AuthSettings
  cursorSecrets: SecretList
}

/** Development mode makes the secrets that were not given at its first start, and keeps them with the data. */
export async function completeConfig(config: Config): Promise<CompleteConfig> {
  const { auth, cursorSecrets } = config
  if (auth === 'development') {
    const secret = await keptSecret(config.dataDir)
    return {
      ...config,
      development: true,
      auth: { secrets: [secret] },
      cursorSecrets: cursorSecrets ?? [deriveCursorSecret(secret)],
    }
  }
  // All nodes share this secret, so a node that is not alone must not make one of its own.
  if (!cursorSecrets) throw new Error('CURSOR_SECRET is missing.')
  return { ...config, development: false, auth, cursorSecrets }
}

const secretBytes = 32

async function keptSecret(dataDir: string): Promise<Uint8Array> {
  const path = join(dataDir, 'secret')
  await mkdir(dataDir, { recursive: true })
  const secret = (await read(path)) ?? (await create(path))
  if (secret.length < secretBytes) throw new Error(`${path} is damaged: delete it and start again.`)
  return secret
}

async function read(path: string): Promise<Uint8Array | undefined> {
  try {
    return new Uint8Array(Buffer.from(await readFile(path, 'utf8'), 'hex'))
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/** Writes the secret aside, then links it into place: of two nodes that start at once the first wins, and both read its secret. */
async function create(path: string): Promise<Uint8Array> {
  const aside = `${path}.${randomBytes(8).toString('hex')}`
  await writeFile(aside, randomBytes(secretBytes).toString('hex'), { mode: 0o600, flag: 'wx' })
  try {
    await link(aside, path)
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  } finally {
    await unlink(aside)
  }
  return (await read(path)) ?? create(path)
}

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code
