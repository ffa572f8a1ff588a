import type { Ports } from '../../ports/ports.ts'
import type { Task, TaskKind } from '../../ports/tasks.ts'
import type { ConversationId } from '../../protocol/ids.ts'
import { exportKeyOf, taskIdOf } from '../tasks/tasks.ts'

// Removes exports that were made before somebody was erased, as they say what the erasure takes away. The row of the task goes before the file:
// without that row an export under way ends at its next step, and nobody is given the file any more.

type Needs = Pick<Ports, 'tasks' | 'timers' | 'results' | 'clock'> & { randomId: () => string }

export type Exports = ReturnType<typeof createExports>

export function createExports({ tasks, timers, results, clock, randomId }: Needs) {
  async function remove(kind: TaskKind, subject: string): Promise<Task | undefined> {
    const task = await tasks.get(taskIdOf(kind, subject))
    if (!task) return undefined
    await tasks.remove(task.id)
    await results?.remove({ key: exportKeyOf(task.run) })
    return task
  }

  /** Removes the export of a conversation. If it was still being made, somebody waits for it, so it is begun again. */
  async function renew(id: ConversationId): Promise<void> {
    const task = await remove('exportConversation', id)
    if (!task || task.state === 'DONE' || task.state === 'FAILED') return
    const { cursor: _cursor, ...rest } = task
    await tasks.begin({ ...rest, run: randomId(), state: 'QUEUED', progress: 0, failures: 0, leaseVersion: 0 })
    await timers.set({ kind: 'task', subject: task.id, dueMs: clock.now() })
  }

  return { remove, renew }
}
