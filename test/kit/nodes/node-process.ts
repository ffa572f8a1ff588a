import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const probe = fileURLToPath(new URL('probe.mjs', import.meta.url))
const errorLevel = 50

export type NodeProcess = Awaited<ReturnType<typeof startNodeProcess>>
export type LogLine = { level: number; msg?: string; url?: string; [field: string]: unknown }
type Memory = {
  rss: number
  heapUsed: number
  external: number
  arrayBuffers: number
  resources: Record<string, number>
  cpuMs: number
}

/** Starts one compiled production node as a process of its own with a probe in it, with these settings and no others. */
export async function startNodeProcess(
  script: string,
  settings: Readonly<Record<string, string>>,
  keep: (line: LogLine) => boolean = () => false,
  node: string = process.execPath,
) {
  const child = spawn(node, ['--expose-gc', '--import', probe, script], {
    env: { PATH: process.env.PATH, NODE_ENV: 'production', PORT: '0', ...settings },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const exited = once(child, 'exit') as Promise<[number | null, string | null]>
  const waiting = new Map<number, (answer: unknown) => void>()
  /** Returns what it has logged as an error, or printed outside of the log. */
  const complaints: string[] = []
  /** Its log, as far as the caller wants it. */
  const log: LogLine[] = []
  let asked = 0
  let listening: (url: string) => void = () => undefined
  const url = new Promise<string>((resolve, reject) => {
    listening = resolve
    child.once('exit', (code) => reject(new Error(`The node ended with ${code}: ${complaints.join('\n')}`)))
  })
  child.on('message', ({ id, answer }: { id: number; answer: unknown }) => waiting.get(id)?.(answer))
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream as NodeJS.ReadableStream }).on('line', (line) => {
      const entry = entryOf(line)
      if (entry?.msg === 'listening' && entry.url) listening(entry.url)
      if (entry && keep(entry)) log.push(entry)
      if (!entry || entry.level >= errorLevel) complaints.push(line)
    })
  }

  function ask<T>(question: string, argument?: string): Promise<T> {
    asked += 1
    const id = asked
    return new Promise((resolve, reject) => {
      const gone = () => reject(new Error(`The node is gone: ${complaints.join('\n')}`))
      child.once('exit', gone)
      waiting.set(id, (answer) => {
        waiting.delete(id)
        child.off('exit', gone)
        resolve(answer as T)
      })
      if (child.connected) child.send({ id, ask: question, argument })
      else gone()
    })
  }

  return {
    url: await url,
    pid: child.pid,
    exited,
    complaints,
    log,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    /** Returns the longest time that the event loop has worked without a pause since the last call, in time on the CPU. */
    worstStall: () => ask<{ cpuMs: number; wallMs: number }>('stall'),
    /** Returns what is in memory after a garbage collection. */
    memory: () => ask<Memory>('memory'),
    heapSnapshot: (path: string) => ask<string>('snapshot', path),
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
      return exited
    },
  }
}

function entryOf(line: string): LogLine | undefined {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
