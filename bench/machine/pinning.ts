import { execFile } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'

// Who runs where. The server under test has core 0 for itself. The load has core 1. Redis and DynamoDB have a core of their own
// where there is a third, else they share the load's: what they take is measured apart, and never the server's.

const run = promisify(execFile)

/** These are counted before this process is pinned itself. */
const cores = availableParallelism()

export const serverCore = 0
export const loadCore = Math.min(1, cores - 1)
export const storesCore = cores > 2 ? 2 : loadCore

/** Puts `taskset` before a command, so that it begins on the core where it shall stay. */
export const pinned = (core: number, command: string, args: readonly string[]): [string, string[]] => [
  'taskset',
  ['-c', String(core), command, ...args],
]

/** Puts `taskset` before a command that may run on any core, as this process may not. */
export const unpinned = (command: string, args: readonly string[]): [string, string[]] => [
  'taskset',
  ['-c', `0-${cores - 1}`, command, ...args],
]

/** Pins a process with all its threads. */
export async function pin(pid: number, core: number): Promise<void> {
  await run('taskset', ['-a', '-c', '-p', String(core), String(pid)])
}

/** Lets a process run on any core. */
export async function unpin(pid: number): Promise<void> {
  await run('taskset', ['-a', '-c', '-p', `0-${cores - 1}`, String(pid)])
}
