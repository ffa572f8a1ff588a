import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRedisLink, type RedisLink } from '../../../src/engine/redis/client.ts'
import { type RedisServer, startRedis } from '../../kit/services/redis.ts'

// The lean commands against ioredis's own: the same commands, with the same arguments, get the same answers and the same errors.

let redis: RedisServer
let lean: RedisLink
let plain: RedisLink
beforeAll(async () => {
  redis = await startRedis()
  const options = { url: redis.url, commandTimeoutMs: 30_000 }
  lean = createRedisLink({ ...options, commandStyle: 'lean' })
  plain = createRedisLink({ ...options, commandStyle: 'plain' })
})
afterAll(async () => {
  await lean?.close()
  await plain?.close()
  await redis?.stop()
})

type Step =
  | { command: string; key: string; args: (string | number)[] }
  | { script: number; keys: string[]; args: (string | number)[] }

const scripts: [lua: string, numberOfKeys: number][] = [
  [`return { KEYS, ARGV, #ARGV }`, 1],
  [`return { redis.call('APPEND', KEYS[1], ARGV[1] or ''), KEYS[2], false, 7, { ok = 'FINE' } }`, 2],
  [`return redis.call('HINCRBY', KEYS[1], ARGV[1] or 'f', ARGV[2] or 1)`, 1],
  [`return redis.error_reply('NO ' .. KEYS[1])`, 1],
]

const keys = fc.constantFrom('a', 'b', 'ключ', 'k\r\n', '')
const argument = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('', '0', '1', 'f', 'g', '\r\n$3\r\n', 'ü👍', 'x'.repeat(70_000)),
  fc.integer(),
  fc.double(),
)
const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      // hgetall is one of those that ioredis reshapes for those who call it by its name; the last two are no commands.
      command: fc.constantFrom(
        ...['set', 'get', 'append', 'incr', 'incrby', 'del', 'type', 'hset', 'hget', 'hmget', 'hgetall', 'hincrby'],
        ...['rpush', 'lrange', 'zadd', 'zrange', 'strlen', 'exists', 'nonsense', 'non sense'],
      ),
      key: keys,
      args: fc.array(argument, { maxLength: 4 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      script: fc.nat(scripts.length - 1),
      keys: fc.tuple(keys, keys),
      args: fc.array(argument, { maxLength: 4 }),
    }),
  },
)

/** What is sent in one turn, and whether Redis forgets all scripts before: a script that it has forgotten is sent again. */
type Batch = { forgets: boolean; steps: Step[] }
const batches = fc.array(fc.record({ forgets: fc.boolean(), steps: fc.array(steps, { maxLength: 12 }) }), {
  maxLength: 5,
})

async function run(link: RedisLink, all: Batch[]): Promise<unknown[]> {
  await redis.flush()
  const defined = scripts.map(([lua, numberOfKeys]) => link.script(lua, numberOfKeys))
  const outcomes: unknown[] = []
  for (const { forgets, steps } of all) {
    if (forgets) await redis.raw.script('FLUSH')
    const sent = steps.map((step) => {
      if ('command' in step) return link.command(step.command)(step.key, step.args)
      return defined[step.script]?.(step.keys.slice(0, scripts[step.script]?.[1]), step.args)
    })
    for (const outcome of await Promise.allSettled(sent))
      outcomes.push(outcome.status === 'fulfilled' ? outcome.value : { refused: refusalOf(outcome.reason) })
  }
  return outcomes
}

/** Redis repeats the name of a command it does not know; the plain ones are sent in capital letters. */
const refusalOf = (error: Error) => `${error.name} ${error.message.toLowerCase()}`

test('any commands and scripts are answered and refused as ioredis answers and refuses its own', async () => {
  await fc.assert(
    fc.asyncProperty(batches, async (all) => {
      expect(await run(lean, all)).toEqual(await run(plain, all))
    }),
    { numRuns: 60 },
  )
})
