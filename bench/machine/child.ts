import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../test/kit/free-port.ts'
import { pinned } from './pinning.ts'
import type { Answer, Question } from './probe.ts'

/** A Node process that is measured. */
export type Child = {
  pid: number
  port: number
  process: ChildProcess
  usage(): Promise<Answer>
  /** Returns the usage after the garbage of the process was collected. */
  settled(): Promise<Answer>
  /** Writes a profile of where the time of the process goes during the work. */
  profiled(file: string, work: () => Promise<unknown>): Promise<void>
  stop(): Promise<void>
}

type ChildOptions = {
  script: string
  probe: string
  core: number
  environment: Readonly<Record<string, string>>
}

export async function startChild({ script, probe, core, environment }: ChildOptions): Promise<Child> {
  const port = await freePort()
  const [command, args] = pinned(core, process.execPath, ['--expose-gc', '--import', probe, script])
  const child = spawn(command, args, {
    env: { PATH: process.env.PATH ?? '', NODE_ENV: 'production', ...environment, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  child.setMaxListeners(0)
  await listening(port, child)

  function ask(question: Question): Promise<Answer> {
    const told = answerOf<Answer>(child, ({ answer }) => answer === question.ask)
    child.send(question)
    return told
  }

  return {
    pid: child.pid ?? 0,
    port,
    process: child,
    usage: () => ask({ ask: 'usage' }),
    settled: () => ask({ ask: 'settled' }),
    async profiled(file, work) {
      await ask({ ask: 'profile' })
      await work()
      await ask({ ask: 'profiled', file })
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** Listens until the answer comes. Several may be asked for at a time, and answers that come together must all be heard. */
export function answerOf<Told>(child: ChildProcess, isIt: (told: Told) => boolean): Promise<Told> {
  return new Promise((resolve) => {
    const listen = (told: Told) => {
      if (!isIt(told)) return
      child.off('message', listen)
      resolve(told)
    }
    child.on('message', listen)
  })
}

/** Waits until the server takes connections. Every server here listens only once it can serve. */
async function listening(port: number, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const socket = connect(port, '127.0.0.1')
    const opened = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (opened) return
    await sleep(50)
  }
  throw new Error(`What was to be measured ended with ${child.exitCode}.`)
}
