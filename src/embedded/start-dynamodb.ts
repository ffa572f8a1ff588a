import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import dynalite from 'dynalite'
import type { EmbeddedBackend } from './embedded-backend.ts'

/** Starts dynalite, with its tables in LevelDB under `path`. */
export async function startDynamoDb(path: string): Promise<EmbeddedBackend> {
  await mkdir(path, { recursive: true })
  const server = dynalite({ path, createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await assertOpen(endpoint, path)
  return {
    url: endpoint,
    description: `dynalite, on disk in ${path}`,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

/**
 * dynalite opens its files without waiting for them, and throws at the first request if it could not. LevelDB locks the files, and
 * the operating system releases the lock of a process in every way it can end.
 */
async function assertOpen(endpoint: string, path: string): Promise<void> {
  const failed = once(process, 'uncaughtException').then(([cause]) => {
    throw new Error(`Another server is already running on ${path}, or its files are damaged.`, { cause })
  })
  await Promise.race([failed, listTables(endpoint)])
}

async function listTables(endpoint: string): Promise<void> {
  const credential = 'Credential=local/20260101/us-east-1/dynamodb/aws4_request'
  await fetch(endpoint, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': 'DynamoDB_20120810.ListTables',
      'x-amz-date': '20260101T000000Z',
      authorization: `AWS4-HMAC-SHA256 ${credential}, SignedHeaders=host, Signature=none`,
    },
    body: '{}',
  })
}
