import { Redis } from 'ioredis'
import { expect, it, onTestFinished } from 'vitest'
import { createRandom } from '../../simulation/random.ts'
import { startRedisPair } from './redis-pair.ts'
import { createRespSplitter } from './resp.ts'

async function aPair() {
  const pair = await startRedisPair(createRandom(1))
  const [commands, subscriber] = [new Redis(pair.url), new Redis(pair.url, { enableReadyCheck: false })]
  const heard: string[] = []
  const broken: string[] = []
  for (const [name, each] of Object.entries({ commands, subscriber })) {
    each.on('error', () => undefined)
    each.on('close', () => broken.push(name))
  }
  subscriber.on('message', (_channel, text) => heard.push(text))
  await subscriber.subscribe('news')
  onTestFinished(async () => {
    commands.disconnect()
    subscriber.disconnect()
    await pair.stop()
  })
  async function identity(): Promise<(string | undefined)[]> {
    const info = `${await commands.info('server')}${await commands.info('replication')}`
    return ['run_id', 'master_replid'].map((name) => new RegExp(`${name}:(\\w+)`).exec(info)?.[1])
  }
  return { pair, commands, subscriber, heard, broken, identity }
}

it('a failover forgets what the replica had not heard, and who listens goes on hearing', async () => {
  const { pair, commands, heard, broken, identity } = await aPair()
  const [firstRun] = await identity()
  await commands.set('counter', '1')
  await commands.wait(1, 0)
  const failing = pair.failOver(300)
  await expect.poll(() => commands.info('replication')).toMatch('connected_slaves:0')
  await commands.set('counter', '2')
  await failing
  expect(await commands.get('counter')).toBe('1')
  expect((await identity())[0]).not.toBe(firstRun)
  await commands.publish('news', 'after the failover')
  await expect.poll(() => heard).toEqual(['after the failover'])
  expect(broken).toEqual(['commands'])
  await pair.failOver(0)
  expect((await identity())[0]).toBe(firstRun)
})

it('a rollback brings a state back in the same process, under another replication id, and breaks no connection', async () => {
  const { pair, commands, heard, broken, identity } = await aPair()
  const before = await identity()
  await commands.set('counter', '1', 'PX', 60_000)
  let rolling: Promise<void> | undefined
  await new Promise<void>((resolve) => {
    rolling = pair.rollBack(300, resolve)
  })
  await commands.set('counter', '2')
  await commands.set('new', '1')
  await rolling
  expect(await commands.mget('counter', 'new')).toEqual(['1', null])
  expect(await commands.pttl('counter')).toBeGreaterThan(0)
  const after = await identity()
  expect([after[0] === before[0], after[1] === before[1]]).toEqual([true, false])
  await commands.publish('news', 'still here')
  await expect.poll(() => heard).toEqual(['still here'])
  expect(broken).toEqual([])
})

it('lost events are lost alone: what else the connection says is heard', async () => {
  const { pair, commands, subscriber, heard, broken } = await aPair()
  const heal = pair.loseEvents(1)
  for (const text of ['one', 'two']) await commands.publish('news', text)
  // The answer to this command comes over the same connection, after both.
  await subscriber.ping()
  expect(heal()).toBe(2)
  await commands.publish('news', 'three')
  await expect.poll(() => heard).toEqual(['three'])
  expect(broken).toEqual([])
})

it('values are split wherever the bytes were', () => {
  const event = '*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$4\r\na\r\nb\r\n'
  const confirmation = '*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n'
  const whole = ['+OK\r\n', event, confirmation, '$-1\r\n']
  const text = whole.join('')
  for (let at = 0; at <= text.length; at += 1) {
    const split = createRespSplitter()
    const values = [text.slice(0, at), text.slice(at)].flatMap((part) => split(Buffer.from(part)))
    expect(values.map(String)).toEqual(whole)
  }
})
