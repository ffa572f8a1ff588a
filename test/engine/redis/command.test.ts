import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { createRedisLink } from '../../../src/engine/redis/client.ts'
import { type RedisServer, startRedis } from '../../kit/services/redis.ts'

let redis: RedisServer
beforeAll(async () => {
  redis = await startRedis()
})
afterAll(() => redis?.stop())

const connect = (commandTimeoutMs = 5000) => {
  const link = createRedisLink({ url: redis.url, commandTimeoutMs })
  onTestFinished(link.close)
  return link
}
const lua = `return { KEYS[1], ARGV[1], ARGV[2], redis.call('INCR', KEYS[1]) }`
const callsOf = async (command: string) =>
  Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(await redis.raw.info('commandstats'))?.[1] ?? 0)

test('a script is sent once, and by its hash from then on', async () => {
  const script = connect().script(lua, 1)
  await redis.raw.config('RESETSTAT')
  for (const count of [1, 2, 3])
    expect(await script(['sent once'], ['ü"\r\n', 7])).toEqual(['sent once', 'ü"\r\n', '7', count])
  expect([await callsOf('eval'), await callsOf('evalsha')]).toEqual([1, 2])
})

test('a script that Redis has forgotten is sent again, and runs once for each call', async () => {
  const script = connect().script(lua, 1)
  await script(['forgotten'], ['a', 1])
  await redis.raw.script('FLUSH')
  const answers = await Promise.all([0, 1, 2, 3].map((i) => script(['forgotten'], ['a', i])))
  expect(answers.map((answer) => (answer as unknown[])[2])).toEqual(['0', '1', '2', '3'])
  expect(await redis.raw.get('forgotten')).toBe('5')
  expect(await script(['forgotten'], ['a', 1])).toEqual(['forgotten', 'a', '1', 6])
})

test('what a script refuses is its own error, and is not sent again', async () => {
  const link = connect()
  const refuses = link.script(`redis.call('INCR', KEYS[1]); return redis.error_reply('NO WAY')`, 1)
  await expect(refuses(['refused'], [])).rejects.toThrow('NO WAY')
  await expect(refuses(['refused'], [])).rejects.toThrow('NO WAY')
  expect(await redis.raw.get('refused')).toBe('2')
  await expect(link.command('incr')('refused', ['one too many'])).rejects.toThrow('wrong number of arguments')
})

test('commands of one turn are answered each with its own, whatever they are made of', async () => {
  const link = connect()
  const [set, get] = [link.command('set'), link.command('get')]
  const values = ['', 'ü👍', '"\r\n$3\r\n', 'x'.repeat(100_000), 12.5]
  const asked = values.flatMap((value, i) => [set(`value ${i}`, [value]), get(`value ${i}`, [])])
  expect(await Promise.all(asked)).toEqual(values.flatMap((value) => ['OK', String(value)]))
  expect(await get('value of nobody', [])).toBeNull()
})

test('a command whose time is over before it could be sent is not sent later', async () => {
  redis.pause()
  onTestFinished(() => void redis.resume())
  // Connected by the kernel; Redis itself says nothing, so that nothing is sent yet.
  const link = connect(300)
  const calls = [link.command('incr')('late', []), link.script(lua, 1)(['late'], ['a', 1])]
  for (const { reason } of (await Promise.allSettled(calls)) as PromiseRejectedResult[]) {
    expect(reason).toMatchObject({ message: 'No answer from Redis within 300 ms' })
  }
  redis.resume()
  await vi.waitFor(() => link.command('incr')('in time', []), { timeout: 15_000, interval: 10 })
  expect(await redis.raw.get('late')).toBeNull()
})
