import type { KeyValue } from '../../engine/key-value/key-value.ts'
import type { TaskStore, Timers } from '../../ports/tasks.ts'
import { hasEnded, toItem, toTask } from '../rows/task-row.ts'
import { entryAfter, toTimer, toItem as toTimerItem } from '../rows/timer-row.ts'
import { createEmbeddedTable } from './table.ts'

export function createTasksEmbedded(engine: KeyValue): TaskStore {
  const table = createEmbeddedTable(engine, 'tasks')
  return {
    async begin(task) {
      const { row } = await table.update({ task_id: task.id }, (standing) =>
        standing && !hasEnded(standing) ? 'keep' : toItem(task),
      )
      return row ? toTask(row) : task
    },

    async get(id) {
      const item = table.get({ task_id: id })
      return item && toTask(item)
    },

    async save(task) {
      const { changed } = await table.update({ task_id: task.id }, (standing) =>
        standing?.run_id === task.run && standing.lease_version <= task.leaseVersion ? toItem(task) : 'keep',
      )
      return changed
    },

    async remove(id) {
      await table.update({ task_id: id }, () => 'remove')
    },
  }
}

export function createTimersEmbedded(engine: KeyValue): Timers {
  const table = createEmbeddedTable(engine, 'timers')
  return {
    async set(timer) {
      const item = toTimerItem(timer)
      await table.update(item, (standing) => (standing ? 'keep' : item))
    },
    due: async (nowMs, limit) => table.query('due', { below: entryAfter(nowMs), limit }).map(toTimer),
    async remove(timer) {
      await table.update(toTimerItem(timer), () => 'remove')
    },
  }
}
