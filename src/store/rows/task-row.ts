import type { ResultFile, Task } from '../../ports/tasks.ts'
import { fromTimeText, toTimeText } from '../../protocol/time-text.ts'
import type { Item } from './tables.ts'

type Row = Pick<Item<'tasks'>, 'task_id' | 'kind' | 'run_id' | 'state' | 'progress'> &
  Pick<Item<'tasks'>, 'created_at' | 'failures' | 'lease_version'> &
  Partial<Item<'tasks'>>

export const toItem = (task: Task): Row => ({
  task_id: task.id,
  kind: task.kind,
  run_id: task.run,
  state: task.state,
  progress: task.progress,
  created_at: toTimeText(task.createdAtMs),
  failures: task.failures,
  lease_version: task.leaseVersion,
  ...(task.subject !== undefined && { subject: task.subject }),
  ...(task.finishedAtMs !== undefined && { finished_at: toTimeText(task.finishedAtMs) }),
  ...(task.cursor !== undefined && { work_cursor: task.cursor }),
  ...(task.error !== undefined && { error: task.error }),
  ...(task.result !== undefined && { result: JSON.stringify(task.result) }),
})

export const toTask = (item: Row): Task => ({
  id: item.task_id,
  kind: item.kind,
  run: item.run_id,
  state: item.state,
  progress: item.progress,
  createdAtMs: fromTimeText(item.created_at),
  failures: item.failures,
  leaseVersion: item.lease_version,
  ...(item.subject !== undefined && { subject: item.subject }),
  ...(item.finished_at !== undefined && { finishedAtMs: fromTimeText(item.finished_at) }),
  ...(item.work_cursor !== undefined && { cursor: item.work_cursor }),
  ...(item.error !== undefined && { error: item.error }),
  ...(item.result !== undefined && { result: JSON.parse(item.result) as ResultFile }),
})

/** A task that has ended gives its place to the next run. */
export const hasEnded = ({ state }: Pick<Task, 'state'>): boolean => state === 'DONE' || state === 'FAILED'
