import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createApp } from '../../../src/app.ts'
import { readConfig } from '../../../src/config/config.ts'
import { freePort } from '../../kit/free-port.ts'
import { createPerson, line, testSecret } from '../../kit/person.ts'
import { type RedisServer, startRedis } from '../../kit/services/redis.ts'
import { sharedService } from '../../kit/shared-services.ts'

let redis: RedisServer
const undo: (() => Promise<void>)[] = []

beforeAll(async () => {
  redis = await startRedis()
})
afterAll(async () => {
  for (const each of undo.reverse()) await each()
  await redis.stop()
})

const aPrefix = () => `t${randomUUID().slice(0, 8)}_`

/** Starts a node as the environment makes it, on the one Redis. */
async function start(
  settings: { TABLE_PREFIX: string; REDIS_PREFIX?: string; REDIS_URL?: string },
  onUnusable: (error: Error) => void = () => undefined,
): Promise<string> {
  const config = readConfig({
    PORT: '0',
    REDIS_URL: redis.url,
    DYNAMODB_ENDPOINT: await sharedService('dynalite'),
    CREATE_TABLES: 'true',
    AUTH_JWT_SECRET: testSecret,
    ...settings,
  })
  const deadlines = { redisMs: 5000, dynamoMs: 10_000, operationMs: 20_000 }
  const app = createApp(config, { logger: pino({ level: 'silent' }), deadlines, onUnusable })
  const { url } = await app.start()
  undo.push(app.stop)
  return url
}

test('two deployments with tables of their own on one Redis do not hear each other', async () => {
  const [production, staging] = [await start({ TABLE_PREFIX: aPrefix() }), await start({ TABLE_PREFIX: aPrefix() })]
  const [alice, bob] = [await createPerson('alice', production), await createPerson('bob', production)]
  const [otherAlice, otherBob] = [await createPerson('alice', staging), await createPerson('bob', staging)]
  const inbox = bob.follow()
  await alice.send(bob, 'one')
  await inbox.receives(1)
  expect((await otherAlice.send(otherBob, 'of staging')).seq).toBe(1)
  await alice.send(bob, 'two')
  await inbox.receives(2)
  expect(inbox.events.map(({ message }) => line(message))).toEqual(['1 one', '2 two'])
  await Promise.all([alice, bob, otherAlice, otherBob].map((person) => person.hangUp()))
})

test('nodes of one deployment start together, also at once, and after Redis has forgotten', async () => {
  const settings = { TABLE_PREFIX: aPrefix() }
  await Promise.all([start(settings), start(settings)])
  await redis.flush()
  await start(settings)
})

test('a node that is stopped has given up its lease, so that the others do not take it for dead', async () => {
  const TABLE_PREFIX = aPrefix()
  const leases = () => redis.raw.hvals(`${TABLE_PREFIX}leases:{sessions}`)
  await start({ TABLE_PREFIX })
  await vi.waitFor(async () => expect(await leases()).toEqual([expect.not.stringMatching(/ done$/)]))
  await undo.pop()?.()
  expect(await leases()).toEqual([expect.stringMatching(/ done$/)])
})

test('the Redis prefix of another deployment is an error that names both and the setting', async () => {
  const [first, second, REDIS_PREFIX] = [aPrefix(), aPrefix(), aPrefix()]
  await start({ TABLE_PREFIX: first, REDIS_PREFIX })
  const error = await start({ TABLE_PREFIX: second, REDIS_PREFIX }).catch((thrown: Error) => thrown.message)
  for (const word of [first, second, 'Set REDIS_PREFIX', `DEL ${REDIS_PREFIX}deployment`]) expect(error).toContain(word)
  expect(error).toMatch(/[0-9a-f-]{36} with the tables .*[0-9a-f-]{36} with the tables/)
  // This is the way out: the other deployment has ended, and an operator deletes its key.
  await redis.raw.del(`${REDIS_PREFIX}deployment`)
  await start({ TABLE_PREFIX: second, REDIS_PREFIX })
})

const readiness = async (url: string) => (await fetch(`${url}/readyz`)).status

test('of two deployments that meet while they run, one goes on, and the other is not ready and is to be stopped', async () => {
  const [first, second, REDIS_PREFIX] = [aPrefix(), aPrefix(), aPrefix()]
  const errors: Error[] = []
  const one = await start({ TABLE_PREFIX: first, REDIS_PREFIX }, (error) => void errors.push(error))
  expect(await readiness(one)).toBe(200)
  // This is as after a partition of a minute, or where Redis has forgotten.
  await redis.raw.del(`${REDIS_PREFIX}deployment`)
  const other = await start({ TABLE_PREFIX: second, REDIS_PREFIX })
  expect([await readiness(one), await readiness(other), await readiness(one)]).toEqual([503, 200, 503])
  expect(errors.map(({ message }) => message)).toEqual([expect.stringContaining(`with the tables ${second}`)])
})

test('a node that starts while Redis is away is not ready before it has compared', async () => {
  const ownRedis = await startRedis()
  undo.push(ownRedis.stop)
  await ownRedis.kill()
  const [TABLE_PREFIX, errors] = [aPrefix(), [] as Error[]]
  const url = await start({ TABLE_PREFIX, REDIS_URL: ownRedis.url }, (error) => void errors.push(error))
  expect(await readiness(url)).toBe(503)
  await ownRedis.launch()
  await ownRedis.raw.set(`${TABLE_PREFIX}deployment`, 'another others_')
  await expect.poll(async () => [await readiness(url), errors.length], { timeout: 10_000 }).toEqual([503, 1])
  await ownRedis.raw.del(`${TABLE_PREFIX}deployment`)
  await expect.poll(() => readiness(url), { timeout: 10_000 }).toBe(200)
})

test('a Redis that does not tell which one it is keeps a node from starting, and the error names the way out', async () => {
  const port = await freePort()
  const strict = await startRedis(['--port', String(port)])
  undo.push(strict.stop)
  await strict.raw.acl('SETUSER', 'parley', 'on', '>word', '~*', '&*', '+@all', '-info')
  const settings = { TABLE_PREFIX: aPrefix(), REDIS_URL: `redis://parley:word@127.0.0.1:${port}` }
  await expect(start(settings)).rejects.toThrow('ACL SETUSER <user> +info')
  await strict.raw.acl('SETUSER', 'parley', '+info')
  expect(await readiness(await start(settings))).toBe(200)
})
