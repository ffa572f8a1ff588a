import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../test/kit/free-port.ts'
import { guarded } from './guarded.ts'
import { unpinned } from './pinning.ts'
import { type Usage, usageOf } from './usage.ts'

/** A server that nothing was put into, as an operator runs it. */
export type Plain = {
  /** How long the server took from its spawn until it said that it is ready. */
  readyMs: number
  usage(): Promise<Usage>
  stop(): Promise<void>
}

const lookEveryMs = 5

export async function startPlain(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Plain> {
  const port = await freePort()
  const [command, commandArgs] = unpinned('sh', guarded(process.execPath, args))
  const beganAtMs = performance.now()
  const child = spawn(command, commandArgs, {
    env: { PATH: process.env.PATH ?? '', ...environment, PORT: String(port) },
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  while (!(await isReady(port))) {
    if (child.exitCode !== null) throw new Error(`The server ended with ${child.exitCode}.`)
    await sleep(lookEveryMs)
  }
  return {
    readyMs: performance.now() - beganAtMs,
    usage: () => usageOf(child.pid ?? 0),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    },
  }
}

const isReady = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const asked = get({ port, host: '127.0.0.1', path: '/readyz', agent: false }, (answer) => {
      answer.resume()
      resolve(answer.statusCode === 200)
    })
    asked.once('error', () => resolve(false))
  })
