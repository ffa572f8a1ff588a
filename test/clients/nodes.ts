import { randomUUID } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createNodeProcess } from '../chaos/faults/processes.ts'
import { freePort } from '../kit/free-port.ts'
import { testSecret } from '../kit/person.ts'
import { startRedis } from '../kit/services/redis.ts'
import { sharedService } from '../kit/shared-services.ts'

/** Two nodes on the same backends: `near` is that of the clients under test and can be killed, `far` is that of everybody else. */
export async function startTwoNodes() {
  const [script, dynamodb, redis] = await Promise.all([
    sharedService('server'),
    sharedService('dynalite'),
    startRedis(),
  ])
  const folder = await mkdtemp(join(tmpdir(), 'parley-clients-'))
  const crashes: string[] = []
  const tables = `t${randomUUID().slice(0, 8)}_`
  const create = async (name: string) => {
    const port = await freePort()
    const environment = {
      PATH: process.env.PATH ?? '',
      PORT: String(port),
      REDIS_URL: redis.url,
      DYNAMODB_ENDPOINT: dynamodb,
      CREATE_TABLES: 'true',
      TABLE_PREFIX: tables,
      AUTH_JWT_SECRET: testSecret,
      CURSOR_SECRET: 'cursors of the clients',
    }
    const onCrash = (text: string) => void crashes.push(text)
    return createNodeProcess({ name, port, script, environment, logPath: join(folder, name), onCrash })
  }
  const [near, far] = [await create('near'), await create('far')]
  // One after the other: the first makes the tables.
  await near.start()
  await far.start()
  return {
    near,
    far,
    crashes,
    async stop() {
      await Promise.all([near.retire(), far.retire()])
      await redis.stop()
    },
  }
}
