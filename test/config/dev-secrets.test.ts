import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { completeConfig } from '../../src/config/dev-secrets.ts'

async function dataDir(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'parley-secrets-'))
  onTestFinished(() => rm(path, { recursive: true }))
  return path
}

describe('development mode', () => {
  test('makes a secret at the first start and keeps it', async () => {
    const config = readConfig({ DATA_DIR: join(await dataDir(), 'not', 'yet') })
    const first = await completeConfig(config)
    expect(first).toMatchObject({ development: true })
    expect(first.auth.secrets).toEqual([expect.objectContaining({ length: 32 })])
    expect(first.cursorSecrets).not.toEqual(first.auth.secrets)
    expect(await completeConfig(config)).toEqual(first)
  })

  test('keeps it from other users of the machine, and leaves nothing else behind', async () => {
    const path = await dataDir()
    await completeConfig(readConfig({ DATA_DIR: path }))
    expect((await stat(join(path, 'secret'))).mode & 0o777).toBe(0o600)
    expect(await readdir(path)).toEqual(['secret'])
  })

  test('nodes that start at the same time agree on it', async () => {
    const config = readConfig({ DATA_DIR: await dataDir() })
    const nodes = await Promise.all(Array.from({ length: 10 }, () => completeConfig(config)))
    expect(new Set(nodes.map(({ auth }) => Buffer.from(auth.secrets?.[0] ?? []).toString('hex'))).size).toBe(1)
  })

  test('a damaged file is said to be so', async () => {
    const path = await dataDir()
    await writeFile(join(path, 'secret'), 'abc')
    await expect(completeConfig(readConfig({ DATA_DIR: path }))).rejects.toThrow('secret is damaged')
  })
})

test('with settings of its own, a node writes nothing', async () => {
  const path = await dataDir()
  const config = readConfig({ DATA_DIR: path, AUTH_JWT_SECRET: 'x'.repeat(32) })
  expect(await completeConfig(config)).toEqual({ ...config, development: false })
  expect(await readdir(path)).toEqual([])
})
