import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { persistedOperations } from '../../../scripts/persisted-operations.ts'
import { ConfigError, readConfig } from '../../../src/config/config.ts'
import { schema } from '../../../src/schema/schema.ts'
import { createPersistedOperations } from '../../../src/transport/documents/persisted-operations.ts'
import { startWorld } from '../../kit/world.ts'

const path = 'packages/client/src/generated/persisted.json'

async function fileOf(text: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'parley-documents-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const file = join(directory, 'documents.json')
  await writeFile(file, text)
  return file
}

describe('a node that runs only the documents it was given', () => {
  it('serves our client, over HTTP and WebSocket, and nobody else', async () => {
    const { persistedOperations: given } = readConfig({ PERSISTED_OPERATIONS: path, PERSISTED_OPERATIONS_ONLY: 'true' })
    if (!given) throw new Error('There are no documents.')
    const world = await startWorld({ config: { persistedOperations: given } })
    onTestFinished(() => world.stop())
    const [alice, bob] = [await world.person('alice'), await world.person('bob')]
    expect(await alice.send(bob, 'by http')).toMatchObject({ seq: 1 })
    expect(await alice.send(bob, 'by ws', { via: 'ws' })).toMatchObject({ seq: 2 })
    expect(await bob.ack(world.chatOf(alice, bob), 2, { via: 'ws' })).toMatchObject({ lastDeliveredSeq: 2 })
    for (const via of ['http', 'ws'] as const) {
      await expect(alice.ask('{ viewer { id } }', {}, { via })).rejects.toMatchObject({
        code: 'GRAPHQL_VALIDATION_FAILED',
        retryable: false,
      })
    }
  })

  it('does not start with a document the schema does not know', async () => {
    const config = readConfig({ PERSISTED_OPERATIONS: await fileOf('{"abc":"{ viewer { shoeSize } }"}') })
    expect(() => createPersistedOperations(schema, config.persistedOperations)).toThrow(
      new ConfigError([
        'PERSISTED_OPERATIONS has a document that cannot be used, abc: Cannot query field "shoeSize" on type "User".',
      ]),
    )
  })
})

describe('the file of documents', () => {
  it('that comes with the client is as `npm run codegen` writes it', () => {
    expect(readFileSync(path, 'utf8')).toBe(persistedOperations())
  })

  it('may be Apollo’s manifest', async () => {
    const manifest = {
      format: 'apollo-persisted-query-manifest',
      version: 1,
      operations: [{ id: 'abc', name: 'Me', type: 'query', body: 'query Me { viewer { id } }' }],
    }
    const { persistedOperations: given } = readConfig({ PERSISTED_OPERATIONS: await fileOf(JSON.stringify(manifest)) })
    expect(given).toEqual({ documents: new Map([['abc', 'query Me { viewer { id } }']]), only: false })
  })

  it.each(['', '[]', '{}', '{"a":1}', 'nonsense'])('that is none is one clear problem: %s', async (text) => {
    const file = await fileOf(text)
    expect(() => readConfig({ PERSISTED_OPERATIONS: file })).toThrow(
      'PERSISTED_OPERATIONS must be the path of a JSON file of documents by their ids',
    )
  })
})
