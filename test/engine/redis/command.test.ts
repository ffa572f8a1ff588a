import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createRedisLink, RedisUnavailableError } from '../../../src/engine/redis/client.ts'
import { type RedisServer, startRedis } from '../../kit/services/redis.ts'

let redis: RedisServer
beforeAll(async () => {
  redis = await startRedis()
})
afterAll(() => redis?.stop())

const connect = (commandStyle: 'lean' | 'plain' = 'lean', commandTimeoutMs = 5000) => {
  const link = createRedisLink({ url: redis.url, commandTimeoutMs, commandStyle })
  onTestFinished(link.close)
  return link
}
const lua = `return { KEYS[1], ARGV[1], ARGV[2], redis.call('INCR', KEYS[1]) }`
const callsOf = async (command: string) =>
  Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(await redis.raw.info('commandstats'))?.[1] ?? 0)

describe.each(['lean', 'plain'] as const)('%s', (style) => {
  test('a script is sent once, and by its hash from then on', async () => {
    const script = connect(style).script(lua, 1)
    await redis.raw.config('RESETSTAT')
    for (const count of [1, 2, 3])
      expect(await script([`${style} sent once`], ['ü"\r\n', 7])).toEqual([`${style} sent once`, 'ü"\r\n', '7', count])
    expect([await callsOf('eval'), await callsOf('evalsha')]).toEqual([1, 2])
  })

  test('a script that Redis has forgotten is sent again, and runs once for each call', async () => {
    const script = connect(style).script(lua, 1)
    await script([`${style} forgotten`], ['a', 1])
    await redis.raw.script('FLUSH')
    const answers = await Promise.all([0, 1, 2, 3].map((i) => script([`${style} forgotten`], ['a', i])))
    expect(answers.map((answer) => (answer as unknown[])[2])).toEqual(['0', '1', '2', '3'])
    expect(await redis.raw.get(`${style} forgotten`)).toBe('5')
    expect(await script([`${style} forgotten`], ['a', 1])).toEqual([`${style} forgotten`, 'a', '1', 6])
  })

  test('what a script refuses is its own error, and is not sent again', async () => {
    const link = connect(style)
    const refuses = link.script(`redis.call('INCR', KEYS[1]); return redis.error_reply('NO WAY')`, 1)
    await expect(refuses([`${style} refused`], [])).rejects.toThrow('NO WAY')
    await expect(refuses([`${style} refused`], [])).rejects.toThrow('NO WAY')
    expect(await redis.raw.get(`${style} refused`)).toBe('2')
    await expect(link.command('incr')(`${style} refused`, ['one too many'])).rejects.toThrow(
      'wrong number of arguments',
    )
  })

  test('commands of one turn are answered each with its own, whatever they are made of', async () => {
    const link = connect(style)
    const [set, get] = [link.command('set'), link.command('get')]
    const values = ['', 'ü👍', '"\r\n$3\r\n', 'x'.repeat(100_000), 12.5]
    const asked = values.flatMap((value, i) => [set(`value ${i}`, [value]), get(`value ${i}`, [])])
    expect(await Promise.all(asked)).toEqual(values.flatMap((value) => ['OK', String(value)]))
    expect(await get('value of nobody', [])).toBeNull()
  })

  test('a call of a store that fails has an error of the engine, with the cause', async () => {
    const link = connect(style)
    const wrong = link.roundTrip('wrong', () => link.command('incr')(`${style} wrong`, ['one too many']))
    const error = (await wrong.catch((thrown: unknown) => thrown)) as RedisUnavailableError & { cause: Error }
    expect(error).toBeInstanceOf(RedisUnavailableError)
    expect(error.cause.message).toContain('wrong number of arguments')
  })
})

test('a command whose time is over before it could be sent is not sent later', async () => {
  redis.pause()
  onTestFinished(() => void redis.resume())
  // Connected by the kernel; Redis itself says nothing, so that nothing is sent yet.
  const link = connect('lean', 300)
  const calls = [link.command('incr')('late', []), link.script(lua, 1)(['late'], ['a', 1])]
  for (const { reason } of (await Promise.allSettled(calls)) as PromiseRejectedResult[]) {
    expect(reason).toMatchObject({ message: 'No answer from Redis within 300 ms' })
  }
  redis.resume()
  await vi.waitFor(() => link.command('incr')('in time', []), { timeout: 15_000, interval: 10 })
  expect(await redis.raw.get('late')).toBeNull()
})
