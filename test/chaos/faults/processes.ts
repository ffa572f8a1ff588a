import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { KillAtWrite } from './plan.ts'

export type NodeProcess = ReturnType<typeof createNodeProcess>

type NodeOptions = {
  name: string
  port: number
  script: string
  /** These are loaded into the process before the script. */
  preloads?: readonly string[]
  environment: Record<string, string>
  logPath: string
  /** Is called when the process ended without being told to. */
  onCrash: (text: string) => void
}

const startWithinMs = 60_000
const exitWithinMs = 12_000
const writesWithinMs = 5000
const clock = fileURLToPath(new URL('node-clock.mjs', import.meta.url))

/** One node, which is started and ended many times, always on the same port. */
export function createNodeProcess(options: NodeOptions) {
  const { name, port, script, preloads = [], environment, logPath, onCrash } = options
  const url = `http://127.0.0.1:${port}`
  let child: ChildProcess | undefined
  let up = false
  let failedStarts = 0
  let retired = false
  /** Its wall clock is off by this. The clock is the machine's: a restart does not mend it. */
  let clockOffsetMs = 0

  /** Starts it again and again until it listens: at a bad time it finds no tables, says so, and ends. */
  async function start(): Promise<void> {
    const giveUpAtMs = Date.now() + startWithinMs
    while (Date.now() < giveUpAtMs && !retired) {
      const launched = launch()
      while (launched.exitCode === null && launched.signalCode === null) {
        if (await isListening(url)) {
          up = true
          return
        }
        await sleep(50)
      }
      failedStarts += 1
      await sleep(200)
    }
    throw new Error(`${name} did not start within ${startWithinMs} ms. See ${logPath}`)
  }

  function launch(): ChildProcess {
    const log = openSync(logPath, 'a')
    const env = { ...environment, CHAOS_CLOCK_OFFSET_MS: String(clockOffsetMs) }
    const imports = [clock, ...preloads].flatMap((each) => ['--import', each])
    const launched = spawn(process.execPath, [...imports, script], { env, stdio: ['ignore', log, log, 'ipc'] })
    closeSync(log)
    child = launched
    launched.once('exit', (code, signal) => {
      if (up && child === launched) onCrash(`${name} ended by itself: code ${code}, signal ${signal}`)
      up = false
    })
    return launched
  }

  async function end(signal: NodeJS.Signals): Promise<number | null> {
    up = false
    if (!child || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null
    const exited = once(child, 'exit')
    child.kill(signal)
    const killer = setTimeout(() => child?.kill('SIGKILL'), exitWithinMs)
    await exited
    clearTimeout(killer)
    return child.exitCode
  }

  return {
    name,
    url,
    logPath,
    start,
    isUp: () => up,
    failedStarts: () => failedStarts,
    kill: () => end('SIGKILL'),
    /** The process kills itself there, or is killed, if it does not come to that write in time. */
    async killAtWrite(killAtWrite: KillAtWrite): Promise<void> {
      up = false
      if (!child || child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.send({ killAtWrite })
      const killer = setTimeout(() => child?.kill('SIGKILL'), writesWithinMs)
      await exited
      clearTimeout(killer)
    },
    /** Ends it for good. */
    retire(): Promise<number | null> {
      retired = true
      return end('SIGKILL')
    },
    /** Asks it to stop. The code is null if it had to be killed. */
    async terminate(): Promise<{ code: number | null; tookMs: number }> {
      const askedAtMs = Date.now()
      const code = await end('SIGTERM')
      return { code, tookMs: Date.now() - askedAtMs }
    },
    /** Sets its wall clock that much before or behind that of all others. It stays so. */
    setClock(offsetMs: number): void {
      clockOffsetMs = offsetMs
      if (child?.connected) child.send({ clockOffsetMs })
    },
    pause: () => child?.kill('SIGSTOP'),
    resume: () => child?.kill('SIGCONT'),
    /** Kills it without waiting for its end. */
    destroy: () => void child?.kill('SIGKILL'),
  }
}

async function isListening(url: string): Promise<boolean> {
  return fetch(`${url}/healthz`, { signal: AbortSignal.timeout(1000) }).then(
    ({ ok }) => ok,
    () => false,
  )
}
