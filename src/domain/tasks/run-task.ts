import type { Observer } from '../../ports/observer.ts'
import type { Ports } from '../../ports/ports.ts'
import type { ResultFile, Task, TaskKind } from '../../ports/tasks.ts'
import { ChatError } from '../../protocol/errors.ts'
import { exportKeyOf, keptUntil } from './tasks.ts'
import type { Held, TimedWork } from './timed-work.ts'

// Works on one task, from where its row says. What happens on the way:
//   killed, or the lease was lost   the row is as it was saved last; another node goes on from there
//   a backend is away               the same, a little later, as often as it takes
//   it cannot be done               FAILED, and why
//   any other error                 tried again, and FAILED after the fifth

/** What works on a task is given. `save` keeps where it goes on; it fails where another node has taken over. */
export type Job = {
  id: string
  run: string
  subject: string
  /** The text that was saved last. */
  cursor: string | undefined
  save(progress: number, cursor: string): Promise<void>
  /** Shows how far the task is, if that has changed enough. */
  show(progress: number): Promise<void>
  /** Throws if this node should stop. */
  assert(): void
}
/** `againAtMs` says that the task goes on at that time. */
export type Done = { result?: ResultFile; forgetSubject?: boolean } | { againAtMs: number }
export type TaskWork = (job: Job) => Promise<Done>

const failuresMax = 5
const retryMs = 10_000
const shownStep = 0.02

type Needs = Pick<Ports, 'tasks' | 'timers' | 'clock'> & { onError: (error: unknown) => void; observer: Observer }

export function createRunTask(
  { tasks, timers, clock, onError, observer }: Needs,
  works: Record<TaskKind, TaskWork>,
): TimedWork {
  return async function run({ subject: id }, held) {
    const found = await tasks.get(id)
    if (!found || found.state === 'DONE' || found.state === 'FAILED') return undefined
    const row = rowOf(found, held)
    try {
      await row.save({ state: 'RUNNING' })
      const done = await works[found.kind](row.job)
      if ('againAtMs' in done) return done.againAtMs
      const { result, forgetSubject } = done
      const finishedAtMs = clock.now()
      if (result) await timers.set({ kind: 'file', subject: result.key, dueMs: keptUntil(finishedAtMs) })
      await row.end({ state: 'DONE', progress: 1, finishedAtMs, ...(result && { result }) }, forgetSubject)
      observer.taskEnded(found.kind, 'done')
      return undefined
    } catch (error) {
      if (held.signal.aborted) throw error
      return row.fail(error)
    }
  }

  function rowOf(found: Task, held: Held) {
    let task: Task = { ...found, leaseVersion: held.version }

    async function save(change: Partial<Task>): Promise<void> {
      held.assert()
      const next = { ...task, ...change }
      if (!(await tasks.save(next))) throw new ChatError('UNAVAILABLE', 'Another node goes on with this task.')
      task = next
    }

    async function end(change: Partial<Task>, forgetSubject = false): Promise<void> {
      const { cursor: _cursor, subject, error: _error, ...rest } = task
      task = { ...rest, ...(subject !== undefined && !forgetSubject && { subject }) }
      await save(change)
    }

    async function fail(error: unknown): Promise<number | undefined> {
      const code = error instanceof ChatError ? error.code : undefined
      onError(error)
      observer.taskEnded(task.kind, 'retried')
      if (code === 'UNAVAILABLE') return clock.now() + retryMs
      const failures = task.failures + 1
      const isExpected = error instanceof ChatError && code !== 'INTERNAL'
      if (!isExpected && failures < failuresMax) {
        await save({ failures })
        return clock.now() + retryMs
      }
      const why = isExpected ? error.message : 'Something went wrong on the server; its log says what.'
      // An export that can never be finished leaves no file.
      await timers.set({ kind: 'file', subject: exportKeyOf(task.run), dueMs: clock.now() })
      await end({ state: 'FAILED', failures, error: why, finishedAtMs: clock.now() })
      observer.taskEnded(task.kind, 'failed')
      return undefined
    }

    const job: Job = {
      id: task.id,
      run: task.run,
      subject: task.subject ?? '',
      cursor: task.cursor,
      save: (progress, cursor) => save({ progress, cursor, failures: 0 }),
      async show(progress) {
        held.assert()
        if (progress >= task.progress + shownStep) await save({ progress })
      },
      assert: held.assert,
    }
    return { job, save, end, fail }
  }
}
