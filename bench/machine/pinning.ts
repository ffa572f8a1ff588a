import { execFile } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'

// Who runs where. The server under test has core 0 for itself. The load has core 1. Redis and DynamoDB have a core of their own
// where there is a third, else they share the load's: what they take is measured apart, and never the server's.

const run = promisify(execFile)

/** Asked before this process is pinned itself. */
const cores = availableParallelism()

export const serverCore = 0
export const loadCore = Math.min(1, cores - 1)
export const storesCore = cores > 2 ? 2 : loadCore

/** Put before a command, so that it begins where it shall stay. */
export const pinned = (core: number, command: string, args: readonly string[]): [string, string[]] => [
  'taskset',
  ['-c', String(core), command, ...args],
]

/** Put before a command that may run anywhere, as this process may not. */
export const unpinned = (command: string, args: readonly string[]): [string, string[]] => [
  'taskset',
  ['-c', `0-${cores - 1}`, command, ...args],
]

/** With all its threads. */
export async function pin(pid: number, core: number): Promise<void> {
  await run('taskset', ['-a', '-c', '-p', String(core), String(pid)])
}

/** Wherever there is room. */
export async function unpin(pid: number): Promise<void> {
  await run('taskset', ['-a', '-c', '-p', `0-${cores - 1}`, String(pid)])
}
