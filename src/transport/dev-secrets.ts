// Owns `secret` in the data directory: 32 random bytes as hex, readable by its owner alone, written once.

import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type AuthSettings, type Config, deriveCursorSecret } from '../config.ts'

/** A configuration with nothing left to find out. */
export type CompleteConfig = Omit<Config, 'auth' | 'cursorSecret'> & {
  /** No auth setting was given: the node hands out its own tokens. */
  development: boolean
  auth: AuthSettings
  cursorSecret: Uint8Array
}

/** Fills in the secrets nobody gave, made at the first start and kept with the data. */
export async function completeConfig(config: Config): Promise<CompleteConfig> {
  const { auth, cursorSecret } = config
  const development = auth === 'development'
  if (!development && cursorSecret) return { ...config, development, auth, cursorSecret }
  const secret = await keptSecret(config.dataDir)
  return {
    ...config,
    development,
    auth: development ? { secret } : auth,
    cursorSecret: cursorSecret ?? deriveCursorSecret(secret),
  }
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

/** Written aside, then linked into place: of two nodes that start at once the first wins, and both read its secret. */
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
