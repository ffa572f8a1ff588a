import { createHash } from 'node:crypto'
import type { Ports } from '../../ports/ports.ts'
import type { Task, TaskKind } from '../../ports/tasks.ts'
import { ChatError } from '../../protocol/errors.ts'

// Long work that a backend asks for, and how far it is. There is one task for each kind and subject, so asking twice is asking once, until it has
// ended: then asking again begins another run of it.

const dayMs = 86_400_000

type Needs = Pick<Ports, 'tasks' | 'timers' | 'results' | 'clock'> & { randomId: () => string }

export function createTasks({ tasks, timers, results, clock, randomId }: Needs, kick: () => void) {
  /** Puts the row and then its timer. A caller that was not answered repeats both. */
  async function begin(kind: TaskKind, subject: string): Promise<Task> {
    const createdAtMs = clock.now()
    const task = await tasks.begin({
      id: taskIdOf(kind, subject),
      kind,
      subject,
      run: randomId(),
      state: 'QUEUED',
      progress: 0,
      createdAtMs,
      failures: 0,
      leaseVersion: 0,
    })
    await timers.set({ kind: 'task', subject: task.id, dueMs: task.createdAtMs })
    kick()
    return task
  }

  async function beginExport(kind: 'exportUser' | 'exportConversation', subject: string): Promise<Task> {
    if (!results) throw new ChatError('FORBIDDEN', 'Exports need a store of files, and none is set up on this server.')
    return begin(kind, subject)
  }

  /** Returns where the result can be fetched, for as long as it is kept. */
  async function urlOf({ result, finishedAtMs }: Task): Promise<string | undefined> {
    if (!results || !result || finishedAtMs === undefined) return undefined
    const untilMs = keptUntil(finishedAtMs)
    return clock.now() < untilMs ? results.presign(result, untilMs) : undefined
  }

  const findOf = (kind: TaskKind, subject: string): Promise<Task | undefined> => tasks.get(taskIdOf(kind, subject))

  return { begin, beginExport, findOf, urlOf, find: (id: string) => tasks.get(id) }
}

/** The id says nothing of the subject, but whoever knows the subject can compute it. */
export const taskIdOf = (kind: TaskKind, subject: string): string =>
  `task_${createHash('sha256').update(`${kind}#${subject}`).digest('base64url').slice(0, 22)}`

/** Returns when the file of a task is removed. */
export const keptUntil = (finishedAtMs: number): number => finishedAtMs + dayMs

export const exportKeyOf = (run: string): string => `exports/${run}`
