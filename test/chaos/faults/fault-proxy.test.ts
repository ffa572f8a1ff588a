import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createRandom } from '../../simulation/random.ts'
import { startFaultProxy } from './fault-proxy.ts'

/** This server answers everything, and notes what it was asked. */
async function aTarget() {
  const asked: string[] = []
  const server = createServer(async (call, response) => {
    let body = ''
    for await (const chunk of call) body += chunk
    asked.push(body)
    response.end('done')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const abandoned: string[] = []
  const target = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const random = createRandom(1)
  let tell: () => void = () => undefined
  /** Resolves when a call has come in, and is about to meet a fault. */
  const met = new Promise<void>((resolve) => {
    tell = resolve
  })
  const telling = {
    ...random,
    chance(probability: number) {
      tell()
      return random.chance(probability)
    },
  }
  const proxy = await startFaultProxy(target, telling, (_operation, body) => abandoned.push(String(body)))
  onTestFinished(async () => {
    await proxy.stop()
    server.close()
  })
  return { asked, abandoned, met, proxy }
}

it('a call that is seconds late is carried out although its caller has given up', async () => {
  const { asked, abandoned, met, proxy } = await aTarget()
  proxy.begin('seconds late', 1)
  const caller = new AbortController()
  const given = fetch(proxy.url, { method: 'POST', body: 'a write', signal: caller.signal })
  await met
  caller.abort()
  await expect(given).rejects.toThrow()
  expect(asked).toEqual([])
  await proxy.settled()
  expect([asked, abandoned]).toEqual([['a write'], ['a write']])
})

it('a call that is answered late was carried out before its caller gave up', async () => {
  const { asked, abandoned, proxy } = await aTarget()
  proxy.begin('answered late', 1)
  const answered = fetch(proxy.url, { method: 'POST', body: 'a write' }).then((response) => response.text())
  await expect.poll(() => asked).toEqual(['a write'])
  const first = await Promise.race([answered, Promise.resolve('not yet')])
  expect([first, await answered, abandoned]).toEqual(['not yet', 'done', []])
})
