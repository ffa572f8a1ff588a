import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'

const clock = fileURLToPath(new URL('node-clock.mjs', import.meta.url))
const script = `
  setInterval(() => undefined, 1000)
  const began = performance.now()
  process.on('message', () => process.send([Date.now(), new Date().getTime(), new Date(5).getTime(), performance.now() - began]))
  process.send('ready')`

it('the wall clock of a process can be set, and its monotonic clock goes on', async () => {
  const child = spawn(process.execPath, ['--import', clock, '-e', script], {
    env: { PATH: process.env.PATH, CHAOS_CLOCK_OFFSET_MS: '60000' },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child, 'message')
  async function ask(message: object): Promise<number[]> {
    child.send(message)
    const [answer] = await once(child, 'message')
    return answer as number[]
  }
  const [ahead = 0, aheadToo = 0, given = 0] = await ask({})
  expect([ahead > Date.now() + 30_000, aheadToo > Date.now() + 30_000, given]).toEqual([true, true, 5])
  const [behind = 0, , , monotonicMs = -1] = await ask({ clockOffsetMs: -3_600_000 })
  expect([behind < Date.now() - 3_000_000, monotonicMs >= 0]).toEqual([true, true])
})
