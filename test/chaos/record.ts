import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { History } from './checks/history.ts'
import type { PlannedFault } from './faults/plan.ts'

// The record is what is kept of a run that failed: without it a failure that timing brought about can never be looked into. The folder is
// there from the beginning, because the nodes write their logs into it. It stays unless the run was good, also if this process is killed.

export type RecordOptions = {
  seed: number
  /**
   * The record is kept here in any case. Without it, the record of a bad run is kept in a folder of its own in test/artifacts, which git
   * ignores.
   */
  directory?: string | undefined
}

const artifacts = fileURLToPath(new URL('../artifacts', import.meta.url))

export function openRecord({ seed, directory: chosen }: RecordOptions) {
  const stamp = new Date().toISOString().replaceAll(/[:.]/g, '-')
  const directory = chosen ?? join(artifacts, `chaos-${seed}-${stamp}`)
  mkdirSync(directory, { recursive: true })
  let closed = false

  const write = (name: string, content: unknown) =>
    writeFileSync(join(directory, name), typeof content === 'string' ? content : JSON.stringify(content))

  return {
    directory,
    logPath: (name: string) => join(directory, `${name}.log`),
    /** This is synchronous, so that it can be the last thing a process does. */
    keep(history: History, planned: readonly PlannedFault[], conclusion: string): string {
      if (closed) return directory
      closed = true
      write('history.json', history)
      write('faults.json', { planned, carriedOut: history.faults })
      write('tables.json', history.tables)
      write('report.txt', conclusion)
      return directory
    },
    /** Nothing of a good run stays, unless it was asked for. */
    discard(): void {
      if (closed || chosen !== undefined) return
      closed = true
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
